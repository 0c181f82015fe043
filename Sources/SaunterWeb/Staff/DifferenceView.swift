import SaunterCore
import SaunterServer

/// The difference of two states of a study in words, from `GET …/versions/{version}/difference` or
/// `GET …/draft/difference`.
struct DifferenceView {
    /// The kinds of changes in the order of the page.
    private static let kinds = ["item", "text", "schedule", "scoring", "rule", "library", "study"]
    /// The unchanged lines that are shown before and after a changed one.
    private static let linesAround = 3
    /// The lines of a file that are shown. The pack has all.
    static let maximumLines = 400

    private let difference: JSON
    private let words: Words.Language

    init(_ difference: JSON, _ words: Words.Language) {
        self.difference = difference
        self.words = words
    }

    /// The version with which the other state is compared; nil if there is none.
    var from: String? { difference["from"]?.string }

    /// The groups with changes, in the order of the page. A kind without words comes last.
    private var groups: [(kind: String, changes: [JSON])] {
        let found = (difference["groups"]?.array ?? []).map {
            (kind: $0["kind"]?.string ?? "", changes: $0["changes"]?.array ?? [])
        }.filter { !$0.changes.isEmpty }
        return Self.kinds.flatMap { kind in found.filter { $0.kind == kind } }
            + found.filter { !Self.kinds.contains($0.kind) }
    }

    private var files: [JSON] { (difference["files"]?.array ?? []).filter { $0["what"]?.string != "same" } }

    /// The number of changes in all groups.
    var count: Int { groups.reduce(0) { $0 + $1.changes.count } }
    /// Whether both states are the same.
    var isEmpty: Bool { groups.isEmpty && files.isEmpty }

    /// "4 changes: Questions 1, Schedules 3."
    var summary: String {
        guard !groups.isEmpty else { return text(files.isEmpty ? "no_change" : "only_lines") }
        let parts = groups.map { "\(title($0.kind)) \($0.changes.count)" }.joined(separator: ", ")
        return counted("changes", count, ["parts": parts])
    }

    /// The model of the template `staff_difference`.
    var model: [String: Any] {
        [
            "summary": summary, "is_empty": isEmpty, "has_files": !files.isEmpty,
            "groups": groups.map { group -> [String: Any] in
                [
                    "id": "changes-\(group.kind)", "title": title(group.kind),
                    "rows": group.changes.map { change -> [String: Any] in
                        [
                            "place": change["place"]?.string ?? "", "what": what(change),
                            "before": Self.value(change["before"]), "after": Self.value(change["after"]),
                        ]
                    },
                ]
            },
            "files": files.map(model),
        ]
    }

    /// All changes as a file.
    func table(_ name: String, asOf: Instant) -> StaffTable {
        StaffTable(
            name: name, caption: text("difference"),
            columns: ["part", "place", "what", "before", "after"].map { .init(title: text($0)) },
            rows: groups.flatMap { group in
                group.changes.map { change in
                    [
                        .text(title(group.kind)), .text(change["place"]?.string ?? ""), .text(what(change)),
                        .text(Self.value(change["before"])), .text(Self.value(change["after"])),
                    ]
                }
            }, asOf: asOf)
    }

    private func title(_ kind: String) -> String { words["versions", "kind_\(kind)"] ?? kind }

    private func what(_ change: JSON) -> String {
        let code = change["what"]?.string ?? ""
        return words["versions", "what_\(code)"] ?? code
    }

    /// A value as it is in the pack; empty for none.
    private static func value(_ value: JSON?) -> String {
        guard let value, !value.isNull else { return "" }
        return value.string ?? value.text
    }

    // MARK: Lines of files

    /// A line of a file as the page shows it.
    struct Line: Equatable {
        /// `+`, `-`, or a space; `…` for lines that are left out.
        var mark: String
        var text: String
    }

    private func model(_ file: JSON) -> [String: Any] {
        let lines = (file["lines"]?.array ?? []).map {
            Line(mark: $0["mark"]?.string ?? " ", text: $0["text"]?.string ?? "")
        }
        func count(_ mark: String) -> String { String(lines.filter { $0.mark == mark }.count) }
        let shown = shortened(lines)
        return [
            "path": file["path"]?.string ?? "", "what": what(file),
            "counts": lines.isEmpty ? "" : "+\(count("+")) −\(count("-"))",
            "has_lines": !lines.isEmpty,
            "lines": shown.map { line -> [String: Any] in
                [
                    "text": line.mark == "…" ? line.text : "\(line.mark) \(line.text)",
                    "added": line.mark == "+", "removed": line.mark == "-", "left_out": line.mark == "…",
                ]
            },
        ]
    }

    /// Leaves out long runs of unchanged lines, and all lines after the maximum.
    func shortened(_ lines: [Line]) -> [Line] {
        var isNear = [Bool](repeating: false, count: lines.count)
        for (index, line) in lines.enumerated() where line.mark != " " {
            for near in max(0, index - Self.linesAround)...min(lines.count - 1, index + Self.linesAround) {
                isNear[near] = true
            }
        }
        var shown: [Line] = []
        var index = 0
        while index < lines.count {
            guard shown.count < Self.maximumLines else {
                return shown + [Line(mark: "…", text: counted("more_lines", lines.count - index))]
            }
            if isNear[index] {
                shown.append(lines[index])
                index += 1
                continue
            }
            let end = isNear[index...].firstIndex(of: true) ?? lines.count
            // One line takes as much space as the words about it.
            shown.append(
                end - index == 1 ? lines[index] : Line(mark: "…", text: counted("same_lines", end - index)))
            index = end
        }
        return shown
    }

    private func counted(_ name: String, _ count: Int, _ values: [String: String] = [:]) -> String {
        words.counted("versions", name, count, values)
    }

    private func text(_ name: String) -> String { words.text("versions", name) }
}

extension Words.Language {
    /// A text with a number: that whose name ends in `_one`, or in `_other`.
    func counted(
        _ section: String, _ name: String, _ count: Int, _ values: [String: String] = [:]
    ) -> String {
        text(
            section, "\(name)_\(count == 1 ? "one" : "other")",
            values.merging(["count": String(count)], uniquingKeysWith: { $1 }))
    }
}
