/// The difference of two texts by lines, for a page that shows both.
struct LineDifference {
    /// A line of both texts, or of one of them.
    struct Line: Equatable {
        /// A space for a line of both texts, `-` for a line of the first text only, `+` for a line of the second only.
        /// `…` marks lines of both texts that are left out.
        let mark: Character
        let text: String
    }

    /// Lines of both texts before and after a difference.
    static let context = 3
    /// The comparison takes at most this many steps. Longer differences are shown as lines that were all replaced.
    static let maximumSteps = 4_000_000

    let lines: [Line]
    /// Whether the texts have the same lines.
    let isEmpty: Bool

    init(from first: String, to second: String) {
        let (old, new) = (Self.lines(of: first), Self.lines(of: second))
        let head = zip(old, new).prefix { $0 == $1 }.count
        let most = min(old.count, new.count) - head
        let tail = zip(old.reversed(), new.reversed()).prefix(most).prefix { $0 == $1 }.count
        let middle = Self.compare(old[head..<old.count - tail], new[head..<new.count - tail])
        isEmpty = middle.isEmpty
        lines = Self.shortened(
            old[..<head].map { Line(mark: " ", text: $0) } + middle
                + old[(old.count - tail)...].map { Line(mark: " ", text: $0) })
    }

    private static func lines(of text: String) -> [String] {
        DraftValuesForm.plain(text).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The lines that differ, without the common beginning and end.
    private static func compare(_ old: ArraySlice<String>, _ new: ArraySlice<String>) -> [Line] {
        guard (old.count + new.count) * (old.count + new.count) <= maximumSteps else {
            return old.map { Line(mark: "-", text: $0) } + new.map { Line(mark: "+", text: $0) }
        }
        let difference = Array(new).difference(from: Array(old))
        var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var result: [Line] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if removed.contains(left) {
                result.append(Line(mark: "-", text: old[old.startIndex + left]))
                left += 1
            } else if inserted.contains(right) {
                result.append(Line(mark: "+", text: new[new.startIndex + right]))
                right += 1
            } else {
                result.append(Line(mark: " ", text: old[old.startIndex + left]))
                (left, right) = (left + 1, right + 1)
            }
        }
        return result
    }

    /// Leaves out lines of both texts that are far from a difference.
    private static func shortened(_ lines: [Line]) -> [Line] {
        var isNear = [Bool](repeating: false, count: lines.count)
        for (index, line) in lines.enumerated() where line.mark != " " {
            for near in max(0, index - context)...min(lines.count - 1, index + context) {
                isNear[near] = true
            }
        }
        var result: [Line] = []
        for (line, isNear) in zip(lines, isNear) {
            if isNear {
                result.append(line)
            } else if result.last?.mark != "…" {
                result.append(Line(mark: "…", text: ""))
            }
        }
        return result
    }

    /// The model of the partial `staff_difference`.
    var model: [[String: Any]] {
        let classes: [Character: String] = ["-": "removed", "+": "added", "…": "gap"]
        return lines.map { ["mark": String($0.mark), "text": $0.text, "class": classes[$0.mark] ?? "same"] }
    }
}
