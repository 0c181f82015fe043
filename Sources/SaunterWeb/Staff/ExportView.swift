import Foundation
import SaunterCore

/// A dataset of `GET /v1/studies/{study}/exports` in words.
struct ExportView {
    private let export: JSON
    private let titles: [String: String]
    private let account: AccountID?
    private let words: Words.Language

    /// - Parameters:
    ///   - titles: code of a questionnaire -> its title.
    ///   - account: the visitor's account.
    init(_ export: JSON, titles: [String: String], account: AccountID?, _ words: Words.Language) {
        self.export = export
        self.titles = titles
        self.account = account
        self.words = words
    }

    private var id: String { export["export_id"]?.string ?? "" }
    private var state: String { export["state"]?.string ?? "" }
    /// Whether the dataset is being made, or waits for it.
    var isRunning: Bool { state == "queued" || state == "running" }
    private var isDone: Bool { state == "done" }

    private var name: String { text("profile_\(export["profile"]?.string ?? "")") }

    /// Whether the visitor requested the dataset. The account of another member of the team is not named.
    private var requester: String {
        text(account?.description == export["requested_by"]?.string ? "you" : "colleague")
    }

    /// Which part of the study the dataset contains, and in which formats.
    private var contents: String {
        let request = export["request"]
        func list(_ name: String) -> [String] {
            (request?[name]?.array ?? []).compactMap(\.string)
        }
        var parts: [String] = []
        let (from, to) = (request?["from"]?.string, request?["to"]?.string)
        if from != nil || to != nil { parts.append("\(from ?? "…") – \(to ?? "…")") }
        parts += list("questionnaires").map { titles[$0] ?? $0 }
        parts += list("arms").map { words.text("exports", "arm", ["arm": $0]) }
        if let instant = request?["as_of"]?.string {
            parts.append(words.text("exports", "state_of", ["time": instant]))
        }
        if parts.isEmpty { parts.append(text("whole")) }
        return (parts + list("formats").map { text("format_\($0)") }).joined(separator: ", ")
    }

    private var rows: String {
        let done = Self.grouped(export["rows_done"]?.int ?? 0)
        guard !isDone, let all = export["rows_estimated"]?.int else {
            return words.text("exports", "rows_of_unknown", ["done": done])
        }
        return words.text("exports", "rows_of", ["done": done, "all": Self.grouped(all)])
    }

    /// A count, from 10,000 on with narrow spaces between its thousands, which every language reads: `1 079 187`.
    static func grouped(_ count: Int) -> String {
        guard count >= 10_000 else { return String(count) }
        let digits = Array(String(count))
        return stride(from: (digits.count - 1) % 3 + 1, through: digits.count, by: 3).map { end in
            String(digits[max(0, end - 3)..<end])
        }.joined(separator: "\u{202f}")
    }

    /// The model of the template `staff_exports`.
    var model: [String: Any] {
        let time = LocalTimeText(language: words.code, zone: "UTC")
        func moment(_ name: String) -> [[String: String]] {
            (export[name]?.instant).map { [StaffTable.moment($0, time)] } ?? []
        }
        var model: [String: Any] = [
            "id": id, "name": name, "state": text("state_\(state)"), "requested": moment("requested_at"),
            "by": requester, "contents": contents, "is_running": isRunning, "is_done": isDone,
            "can_end": isRunning || isDone,
        ]
        if isRunning {
            let percent = String(Int((export["progress"]?.double ?? 0) * 100))
            model["percent"] = percent
            model["step"] = words.text("exports", "step", ["percent": percent, "rows": rows])
            model["current"] = export["current_file"]?.string
        }
        if isDone {
            let study = PageAddress.encodePart(export["study"]?.string ?? "")
            model["token_id"] = UUID().uuidString.lowercased()
            model["address"] = "/v1/studies/\(study)/exports/\(id)/file"
            model["size"] = size
            model["rows"] = rows
            model["sha256"] = export["sha256"]?.string
            model["expires"] = moment("expires_at")
        }
        model["failure"] = export["failure"]?.string
        return model
    }

    /// The cells of the file.
    var row: [StaffTable.Cell] {
        [
            .text(name), .text(text("state_\(state)")), .text(contents),
            .moment(export["requested_at"]?.instant), .text(requester), .number(export["rows_done"]?.int),
            .number(export["bytes"]?.int), .text(export["sha256"]?.string ?? ""),
            .text(export["file_name"]?.string ?? ""), .moment(export["expires_at"]?.instant),
        ]
    }

    private var size: String { Self.size(export["bytes"]?.int ?? 0, words) }

    /// A number of bytes in the largest unit of which there is at least one, such as `1.8 MB`.
    static func size(_ bytes: Int, _ words: Words.Language) -> String {
        var (value, unit) = (Double(bytes), "B")
        for next in ["kB", "MB", "GB"] where value >= 1000 { (value, unit) = (value / 1000, next) }
        return "\(words.number(value)) \(unit)"
    }

    private func text(_ name: String) -> String { words.text("exports", name) }
}
