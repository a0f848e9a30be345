/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/engine.h"

/* The row of device_model.def for which this plug-in was built. */
const spl__emu_model *spl__emu_model_of_plugin(void)
{
    static const spl__emu_model models[] = {
#define MODEL(lanes, block_shared, kernel_shared) {lanes, block_shared, kernel_shared},
#include "device/emulator/device_model.def"
#undef MODEL
    };
    return &models[models[0].lanes == SPL__LANES ? 0 : 1];
}
