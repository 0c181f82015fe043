import SaunterEvaluation
import Synchronization

/// How far a job is: noted by whoever makes the dataset, read by whoever tells of it.
final class ExportProgress: Sendable {
    /// As a job tells it.
    struct Told: Sendable {
        /// 0…1.
        var share = 0.0
        var file: String?
        var rows = 0
        var estimated: Int?
    }

    /// Of the whole; the rest is the zip.
    private static let shareOfTables = 0.8

    private let state = Mutex(Told())

    var told: Told { state.withLock { $0 } }
    var rows: Int { told.rows }

    func note(_ progress: DatasetWriter.Progress) {
        state.withLock {
            // Files differ in length, and an estimate may grow: what was told is not taken back.
            $0.share = max($0.share, progress.share * Self.shareOfTables)
            $0.file = progress.file.isEmpty ? nil : progress.file
            $0.rows = progress.rows
            $0.estimated = progress.estimatedRows
        }
    }

    /// The tables are made.
    func noteZip() {
        state.withLock {
            $0.share = 0.9
            $0.file = nil
        }
    }
}
