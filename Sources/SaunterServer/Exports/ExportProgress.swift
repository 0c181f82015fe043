import SaunterEvaluation
import Synchronization

/// The progress of an export job. The task that makes the dataset writes it; the task that reports to the database
/// reads it.
final class ExportProgress: Sendable {
    /// The progress at one instant.
    struct Snapshot: Sendable {
        /// 0…1.
        var share = 0.0
        var file: String?
        var rows = 0
        var estimated: Int?
    }

    /// The share of the tables in the whole job. While the zip file is written, the reported share is 0.9.
    private static let shareOfTables = 0.8

    private let state = Mutex(Snapshot())

    var snapshot: Snapshot { state.withLock { $0 } }
    var rows: Int { snapshot.rows }

    func update(_ progress: DatasetWriter.Progress) {
        state.withLock {
            // Files differ in length and an estimate can grow, but the reported share must never decrease.
            $0.share = max($0.share, progress.share * Self.shareOfTables)
            $0.file = progress.file.isEmpty ? nil : progress.file
            $0.rows = progress.rows
            $0.estimated = progress.estimatedRows
        }
    }

    /// Records that the tables are complete and the zip file begins.
    func beginZip() {
        state.withLock {
            $0.share = 0.9
            $0.file = nil
        }
    }
}
