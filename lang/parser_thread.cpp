#include "lang/parser_thread.hpp"

#include <pthread.h>

#include <condition_variable>
#include <mutex>

namespace satura::lang {
namespace {

constexpr std::size_t stack_bytes = std::size_t{512} << 20;

class ParserThread {
  public:
    ParserThread() {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, stack_bytes);
        started_ = pthread_create(&thread_, &attributes, &ParserThread::enter, this) == 0;
        pthread_attr_destroy(&attributes);
    }
    ~ParserThread() {
        if (!started_) return;
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        pthread_join(thread_, nullptr);
    }
    ParserThread(const ParserThread&) = delete;
    ParserThread& operator=(const ParserThread&) = delete;

    void run(const std::function<void()>& job) {
        const std::lock_guard one_caller(callers_);
        // Without a thread (address space is limited) the caller's own stack has to do.
        if (!started_) return job();
        std::unique_lock lock(mutex_);
        job_ = &job;
        wake_.notify_all();
        done_.wait(lock, [this] { return job_ == nullptr; });
    }

  private:
    static void* enter(void* self) {
        static_cast<ParserThread*>(self)->loop();
        return nullptr;
    }
    void loop() {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [this] { return job_ != nullptr || stopping_; });
            if (job_ == nullptr) return;
            lock.unlock();
            (*job_)();
            lock.lock();
            job_ = nullptr;
            done_.notify_all();
        }
    }

    pthread_t thread_{};
    bool started_ = false;
    std::mutex callers_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    const std::function<void()>* job_ = nullptr;
    bool stopping_ = false;
};

}  // namespace

void run_on_parser_thread(const std::function<void()>& job) {
    static ParserThread thread;
    thread.run(job);
}

}  // namespace satura::lang
