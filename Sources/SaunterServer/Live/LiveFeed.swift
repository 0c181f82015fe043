import Logging
import SaunterCore
import SaunterStore

/// Changes of a study that one poll found, for all streams of the study.
struct LiveBatch: Sendable {
    /// The batch contains every change after this number.
    var after: Int64
    /// The number of the last change that the poll has read. The batch contains every change up to it.
    var reached: Int64
    var events: [ChangeEvent]
}

/// What a stream gets about once per second: how far the study's feed has come, and the changes if there are new ones.
struct LiveSignal: Sendable {
    /// The number of the last change of the feed.
    var reached: Int64
    /// Nil if there are no new changes.
    var batch: LiveBatch?
    /// Whether a role in the study was removed, so that each stream checks that of its caller.
    var isRoleChange = false
}

/// The open streams of live changes. One poller per study reads the change feed for all its streams, and runs only
/// while the study has a stream.
actor LiveFeed {
    /// The maximum number of streams of one study.
    static let maximumPerStudy = 20
    /// The maximum number of streams of this server.
    static let maximumStreams = 200
    /// The maximum number of changes that are read at once. A poll reads pages until one is not full.
    static let pageSize = 1000
    /// The maximum number of signals that wait for a stream whose client reads slowly. Older ones are dropped; the
    /// stream then reads the changes itself.
    private static let maximumWaitingSignals = 16

    private struct StudyFeed {
        var reached: Int64
        var streams: [Int: AsyncStream<LiveSignal>.Continuation] = [:]
        var poller: Task<Void, Never>?
    }

    private let store: Store
    private let interval: Duration
    private let logger: Logger
    private var studies: [String: StudyFeed] = [:]
    private var lastID = 0
    /// Sends a signal per second to each stream, also while the database does not answer.
    private var ticker: Task<Void, Never>?

    /// - Parameter interval: the time between two polls of a study.
    init(store: Store, interval: Duration = .seconds(1), logger: Logger) {
        self.store = store
        self.interval = interval
        self.logger = logger
    }

    /// Opens a stream. It ends when the last reference to the result is released, or with `end`.
    /// - Parameter reached: the last number of the study's feed.
    /// - Throws: `busy` above a limit.
    func open(_ study: String, reached: Int64) throws(Problem) -> LiveSubscription {
        let count = studies[study]?.streams.count ?? 0
        guard count < Self.maximumPerStudy,
            studies.values.reduce(0, { $0 + $1.streams.count }) < Self.maximumStreams
        else {
            throw Problem(.busy, "The study or the server has too many live streams.", retryAfter: 30)
        }
        lastID += 1
        let id = lastID
        let (signals, continuation) = AsyncStream<LiveSignal>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.maximumWaitingSignals))
        studies[study, default: StudyFeed(reached: reached)].streams[id] = continuation
        startTasks(study)
        return LiveSubscription(signals: signals, continuation: continuation) { [weak self] in
            Task { await self?.close(id, of: study) }
        }
    }

    /// The number of open streams.
    var count: Int { studies.values.reduce(0) { $0 + $1.streams.count } }

    private func close(_ id: Int, of study: String) {
        studies[study]?.streams.removeValue(forKey: id)?.finish()
        guard studies[study]?.streams.isEmpty ?? false else { return }
        studies.removeValue(forKey: study)?.poller?.cancel()
        guard studies.isEmpty else { return }
        ticker?.cancel()
        ticker = nil
    }

    private func startTasks(_ study: String) {
        if studies[study]?.poller == nil {
            studies[study]?.poller = Task { await poll(study) }
        }
        if ticker == nil {
            ticker = Task {
                while !Task.isCancelled {
                    tick()
                    do { try await Task.sleep(for: .seconds(1)) } catch { return }
                }
            }
        }
    }

    /// Makes the streams of a study check the roles of their callers now.
    func checkRoles(of study: String) {
        guard let feed = studies[study] else { return }
        for stream in feed.streams.values {
            stream.yield(LiveSignal(reached: feed.reached, isRoleChange: true))
        }
    }

    private func tick() {
        for feed in studies.values {
            for stream in feed.streams.values { stream.yield(LiveSignal(reached: feed.reached)) }
        }
    }

    private func poll(_ study: String) async {
        var failures = 0
        while !Task.isCancelled {
            do {
                while try await readPage(study) {}
                failures = 0
            } catch {
                failures += 1
                if failures == 1, !Task.isCancelled {
                    logger.warning(
                        "live changes cannot be read", metadata: ["study": "\(study)", "error": "\(error)"])
                }
            }
            do { try await Task.sleep(for: interval * min(1 + failures, 10)) } catch { return }
        }
    }

    /// Reads the next changes and passes them to the streams.
    /// - Returns: whether there are more.
    private func readPage(_ study: String) async throws -> Bool {
        let last = try await store.numberWaitingChanges(of: study)
        guard let after = studies[study]?.reached, last > after, !Task.isCancelled else { return false }
        let events = try await store.listChangeEvents(of: study, after: after, limit: Self.pageSize)
        let isFull = events.count == Self.pageSize
        let reached = isFull ? events.last?.sequence ?? last : max(last, events.last?.sequence ?? last)
        guard !Task.isCancelled, var feed = studies[study] else { return false }
        feed.reached = reached
        studies[study] = feed
        let signal = LiveSignal(
            reached: reached, batch: LiveBatch(after: after, reached: reached, events: events))
        for stream in feed.streams.values { stream.yield(signal) }
        return isFull
    }
}

/// One stream's part in a study's feed. The stream counts against the limits until the last reference is released.
final class LiveSubscription: Sendable {
    let signals: AsyncStream<LiveSignal>
    private let continuation: AsyncStream<LiveSignal>.Continuation
    private let onRelease: @Sendable () -> Void

    init(
        signals: AsyncStream<LiveSignal>, continuation: AsyncStream<LiveSignal>.Continuation,
        onRelease: @escaping @Sendable () -> Void
    ) {
        self.signals = signals
        self.continuation = continuation
        self.onRelease = onRelease
    }

    deinit { onRelease() }

    /// Ends the signals.
    func end() { continuation.finish() }
}
