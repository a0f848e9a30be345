/* SPDX-License-Identifier: Apache-2.0 */
/* Generated matrices that cannot be: names and parameters that make no sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gen.h>

static const char *const wrong[] = {
    "",
    "nonsense",
    "box2d",
    "box2d:",
    "box2d:3",
    "box2d:0,3",
    "box2d:3,3,0",
    "box2d:3,-3",
    "box2d:3,3,d=0.5",
    "box2d:3,3,1,1.5",
    "box2d:3,3,1,nan",
    "box2d:3,3,1,0,2",
    "box2d:3,3,1,0,1,9",
    "box2d:3,3,size=4",
    "box2d:x,3",
    "box2d:3,3x",
    "box2d:99999999999,1",
    "box2d:100000,100000",
    "box3d:2000,2000,2000,1000",
    "lattice:2,8",
    "lattice:1000,1000",
    "periodic:2,9",
    "powerlaw:10,5",
    "powerlaw:10,101,2,10",
    "powerlaw:10,50,2,11",
    "powerlaw:10,20,1",
    "powerlaw:10,20,2,10,.5,.5,.5",
    "rmat:1,0",
    "rmat:4,7",
    "rmat:4,3,.6,.3",
    "rmat:4,3,1,0",
    "random:5,4,5",
    "random:5,5,-1",
    "random:5,5,99999",
    "banded:5,-1,0",
    "hypersparse:5,6",
    "diagonal:0",
    "empty:-1,2",
    "protein:7",
    "protein:d=0",
    "qcd:seed=x",
    "diagonal:5,seed=-1",
    "diagonal:5,6",
    "diagonal:4294967296",
    "box2d:3,3,fixed=2",
    "box2d:3,3,nodes=2",
    "box2d:3,3,nodes=1.5",
    "random:5,4,2,nodes=1",
    "random:5,4,2,fixed=0.5",
    "random:5,4,2,holes=0.5",
    "box2d:3,3,holes=1.5",
};

static void test_impossible(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        gen_matrix matrix;
        gen_message message = {""};
        if (gen_make(wrong[i], 1, SPL_F64, &matrix, &message) != GEN_WRONG || !message.text[0])
            fail_msg("\"%s\" should be refused", wrong[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_impossible)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
