import Dispatch

/// Runs tasks on threads outside the pool that serves requests, for work that keeps a processor busy for seconds.
final class BackgroundExecutor: TaskExecutor {
    private let queue: DispatchQueue

    /// - Parameter isConcurrent: whether tasks run at the same time; otherwise one after another.
    init(label: String, isConcurrent: Bool = false) {
        queue = DispatchQueue(label: label, qos: .utility, attributes: isConcurrent ? .concurrent : [])
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
