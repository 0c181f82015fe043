import SaunterCore
import SaunterPacks
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

    /// Mark -> class of the line in the style sheet.
    private static let styles = ["+": "added", "-": "removed", "…": "small"]

    private let difference: JSON
    private let words: Words.Language

    init(_ difference: JSON, _ words: Words.Language) {
        self.difference = difference
        self.words = words
    }

    /// The version with which the other state is compared; nil if there is none.
    var from: String? { difference["from"]?.string }

    /// The groups with changes, in the order of the page. A kind without words comes last. `leftOut` is the number of
    /// further changes, which the API does not list.
    private var groups: [(kind: String, changes: [JSON], leftOut: Int)] {
        let found = (difference["groups"]?.array ?? []).map {
            (
                kind: $0["kind"]?.string ?? "", changes: $0["changes"]?.array ?? [],
                leftOut: $0["left_out"]?.int ?? 0
            )
        }.filter { !$0.changes.isEmpty || $0.leftOut > 0 }
        return Self.kinds.flatMap { kind in found.filter { $0.kind == kind } }
            + found.filter { !Self.kinds.contains($0.kind) }
    }

    private var files: [JSON] { (difference["files"]?.array ?? []).filter { $0["what"]?.string != "same" } }

    /// The number of changes in all groups.
    var count: Int { groups.reduce(0) { $0 + $1.changes.count + $1.leftOut } }
    /// Whether both states are the same.
    var isEmpty: Bool { groups.isEmpty && files.isEmpty }

    /// "4 changes: Questions 1, Schedules 3."
    var summary: String {
        guard !groups.isEmpty else { return text(files.isEmpty ? "no_change" : "only_lines") }
        let parts = groups.map { "\(title($0.kind)) \($0.changes.count + $0.leftOut)" }.joined(
            separator: ", ")
        return counted("changes", count, ["parts": parts])
    }

    /// The model of the template `staff_difference`.
    var model: [String: Any] {
        [
            "summary": summary, "is_empty": isEmpty, "has_files": !files.isEmpty,
            "groups": groups.map { group -> [String: Any] in
                [
                    "id": "changes-\(group.kind)", "title": title(group.kind),
                    "left_out": group.leftOut > 0 ? [counted("more_changes", group.leftOut)] : [],
                    "rows": group.changes.map { change -> [String: Any] in
                        [
                            "place": change["place"]?.string ?? "", "what": what(change),
                            "before": Self.shown(change["before"]), "after": Self.shown(change["after"]),
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

    /// The value for a section of the template; no element for none.
    private static func shown(_ value: JSON?) -> [String] {
        let text = self.value(value)
        return text.isEmpty ? [] : [text]
    }

    // MARK: Lines of files

    /// A line of a file as the page shows it.
    struct Line: Equatable {
        /// `+`, `-`, or a space; `…` for lines that are left out.
        var mark: String
        var text: String
        /// The number of lines of the file that it represents.
        var count = 1
    }

    private func model(_ file: JSON) -> [String: Any] {
        let lines = lines(file["lines"]?.array ?? [])
        func count(_ mark: String) -> String { String(lines.filter { $0.mark == mark }.count) }
        let shown = shortened(lines)
        var model: [String: Any] = [
            "path": file["path"]?.string ?? "", "what": what(file),
            "counts": lines.isEmpty ? "" : "+\(count("+")) −\(count("-"))",
            "has_lines": !lines.isEmpty, "is_part": file["complete"]?.bool == false,
            "lines": shown.map(Self.model),
        ]
        if let before = file["path_before"]?.string {
            model["before"] = words.text("versions", "path_before", ["path": before])
        }
        return model
    }

    private static func model(_ line: Line) -> [String: Any] {
        ["mark": line.mark, "text": line.text, "class": styles[line.mark] ?? ""]
    }

    /// The difference of two texts, for a page that shows both: the model of the template `staff_draft_lines`.
    static func lines(from first: String, to second: String, _ words: Words.Language) -> [[String: Any]] {
        let view = DifferenceView([:], words)
        let lines = TextDifference(from: first, to: second).lines.map { line in
            (mark: line.mark.rawValue, text: line.text, before: line.before, after: line.after)
        }
        return view.shortened(view.lines(lines)).map(model)
    }

    /// The lines of the API. Where it left out unchanged lines, their number is between them.
    func lines(_ lines: [JSON]) -> [Line] {
        self.lines(
            lines.map { line in
                (
                    mark: line["mark"]?.string ?? " ", text: line["text"]?.string ?? "",
                    before: line["line_before"]?.int, after: line["line_after"]?.int
                )
            })
    }

    private func lines(_ lines: [(mark: String, text: String, before: Int?, after: Int?)]) -> [Line] {
        var found: [Line] = []
        var (before, after) = (0, 0)
        for line in lines {
            let numbers = (before: line.before, after: line.after)
            if let nextBefore = numbers.before, let nextAfter = numbers.after {
                let count = min(nextBefore - before, nextAfter - after) - 1
                if count > 0 { found.append(leftOut(count)) }
            }
            // An added line has no number before, and a removed one none after.
            before = numbers.before ?? before
            after = numbers.after ?? after
            found.append(Line(mark: line.mark, text: line.text))
        }
        return found
    }

    /// Leaves out long runs of unchanged lines, and all lines after the maximum.
    func shortened(_ lines: [Line]) -> [Line] {
        var isNear = [Bool](repeating: false, count: lines.count)
        for (index, line) in lines.enumerated() where ["+", "-"].contains(line.mark) {
            for near in max(0, index - Self.linesAround)...min(lines.count - 1, index + Self.linesAround) {
                isNear[near] = true
            }
        }
        var shown: [Line] = []
        var index = 0
        while index < lines.count {
            guard shown.count < Self.maximumLines else {
                let rest = lines[index...].reduce(0) { $0 + $1.count }
                return shown + [Line(mark: "…", text: counted("more_lines", rest), count: rest)]
            }
            if isNear[index] {
                shown.append(lines[index])
                index += 1
                continue
            }
            let end = isNear[index...].firstIndex(of: true) ?? lines.count
            // One line takes as much space as the words about it.
            shown.append(
                end - index == 1
                    ? lines[index] : leftOut(lines[index..<end].reduce(0) { $0 + $1.count }))
            index = end
        }
        return shown
    }

    private func leftOut(_ count: Int) -> Line {
        Line(mark: "…", text: counted("same_lines", count), count: count)
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
