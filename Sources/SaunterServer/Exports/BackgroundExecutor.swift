import Dispatch

/// Runs tasks one after another on a thread outside the pool that serves requests, for work that keeps a processor busy
/// for seconds.
final class BackgroundExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label, qos: .utility)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
