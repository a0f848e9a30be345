// SPDX-License-Identifier: Apache-2.0
// context.h: the library's context as a Python object, and how the library is called from Python.
#ifndef SPARLOOM_PYTHON_CONTEXT_H
#define SPARLOOM_PYTHON_CONTEXT_H

#include "allocator.h"
#include "errors.h"

#include <atomic>
#include <memory>

namespace sparloom
{

// Shared by the Python object, plans and matrices, so that the last of them destroys it.
struct context_owner {
    std::unique_ptr<python_allocator> allocator; // outlives the context
    spl_context *context = nullptr;
    ~context_owner()
    {
        spl_context_destroy(context);
    }
};
using context_pointer = std::shared_ptr<context_owner>;

class context
{
  public:
    // `allocator`: None, or a tuple of what python_allocator is made of.
    context(int threads, nanobind::handle devices, size_t memory_budget, bool log,
            nanobind::handle allocator, size_t kept_memory);

    context_pointer owner;
};

// The call that this thread is inside of: the context's progress function looks here.
class running_call
{
  public:
    // `progress`: None, or a function of (stage, done, total).
    explicit running_call(nanobind::handle progress) : progress(progress), outer(current)
    {
        current = this;
    }
    running_call(const running_call &) = delete;
    running_call &operator=(const running_call &) = delete;
    ~running_call()
    {
        current = outer;
    }

    static int report(void *user, const char *stage, int64_t done, int64_t total);

  private:
    bool call(const char *stage, int64_t done, int64_t total);

    nanobind::handle progress;
    running_call *outer;
    int64_t reports = 0;

    static thread_local running_call *current;
};

// Calls the library without the GIL, raises what it answers.
template <class function> void call(nanobind::handle progress, function f)
{
    spl_status status;
    {
        running_call running(progress);
        nanobind::gil_scoped_release unlocked;
        status = f();
    }
    check(status);
}

// Claims an object for one call: a second one at a time is a RuntimeError.
class claim
{
  public:
    explicit claim(std::atomic<bool> &busy, const char *object);
    claim(const claim &) = delete;
    claim &operator=(const claim &) = delete;
    ~claim()
    {
        busy.store(false, std::memory_order_release);
    }

  private:
    std::atomic<bool> &busy;
};

void bind_context(nanobind::module_ &m);

} // namespace sparloom
#endif
