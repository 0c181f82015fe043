import Console
import SaunterCore
import SaunterEvaluation
import Synchronization

/// Reports the progress of a dataset: a bar on a terminal, or a line of JSON for each per cent and each file.
final class DatasetProgress: Sendable {
    private struct Mark: Hashable {
        var percent: Int
        var file: String
    }

    private static let barWidth = 24

    private let isJSON: Bool
    private let last = Mutex<Mark?>(nil)

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    func show(_ progress: DatasetWriter.Progress) {
        let file = progress.file.isEmpty ? "codebook and loaders" : progress.file
        let mark = Mark(percent: Int(progress.share * 100), file: file)
        let isNew = last.withLock { last in
            defer { last = mark }
            return last != mark
        }
        guard isJSON else {
            return Terminal.progress(
                "\(Self.bar(progress.share)) \(file), \(progress.rows) of about \(progress.estimatedRows) rows"
            )
        }
        guard isNew else { return }
        let line: JSON = [
            "progress": .double(progress.share), "file": .string(file), "rows_done": .int(progress.rows),
            "rows_estimated": .int(progress.estimatedRows), "files_done": .int(progress.filesDone),
            "files": .int(progress.filesTotal),
        ]
        Terminal.note(line.text)
    }

    /// Reports a stage after the tables.
    func show(stage: String) {
        isJSON ? Terminal.note((["stage": .string(stage)] as JSON).text) : Terminal.progress(stage)
    }

    /// `[######..................]  25 %`
    static func bar(_ share: Double) -> String {
        let part = min(1, max(0, share))
        let full = Int(part * Double(barWidth))
        let percent = String(Int(part * 100))
        return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: barWidth - full)
            + "] "
            + String(repeating: " ", count: 3 - percent.count) + percent + " %"
    }
}
