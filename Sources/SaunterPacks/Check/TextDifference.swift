import SaunterCore

/// The difference of two texts by line, with the shortest list of changes (Myers, "An O(ND) Difference Algorithm and
/// Its Variations", 1986). Memory and time are limited: if two texts differ in too many lines, all lines between the
/// common beginning and the common end count as removed and added.
package struct TextDifference: Sendable, Hashable {
    /// What happened to a line.
    package enum Mark: String, Sendable, CaseIterable {
        case same = " "
        case added = "+"
        case removed = "-"
    }

    /// One line of either text.
    package struct Line: Sendable, Hashable {
        /// What happened to the line.
        package var mark: Mark
        /// The text without its line end. It ends with `…` if it was shortened.
        package var text: String
        /// The number of the line in the text before, from 1; nil for an added line.
        package var before: Int?
        /// The number of the line in the text after, from 1; nil for a removed line.
        package var after: Int?
    }

    /// The limits of a difference.
    package struct Limits: Sendable {
        /// The largest number of removed and added lines for which the shortest list is searched. The search needs
        /// memory for the square of this number.
        package var changes = 1000
        /// The largest number of comparisons of lines in the search.
        package var comparisons = 4_000_000
        /// The largest number of lines of the result.
        package var lines = 3000
        /// The largest number of characters of a line.
        package var characters = 1000

        /// The limits for files of packs.
        package init() {}
    }

    /// The unchanged lines before and after a change that are listed if the result is too long for all.
    private static let linesAround = 3

    /// The lines in their order. Removed lines come before the added ones that replace them.
    package private(set) var lines: [Line] = []
    /// Whether all lines are listed, and the list of changes is the shortest one.
    package private(set) var isComplete = true

    /// Compares two texts. Line ends with and without a carriage return are equal.
    package init(from before: String, to after: String, limits: Limits = Limits()) {
        // Compares bytes: two spellings of one letter in Unicode are different in a file.
        var numbers: [[UInt8]: Int] = [:]
        let (old, new) = (Self.lines(of: before), Self.lines(of: after))
        func number(_ line: Substring) -> Int {
            let bytes = Array(line.utf8)
            let number = numbers[bytes] ?? numbers.count
            numbers[bytes] = number
            return number
        }
        let left = old.map(number), right = new.map(number)
        var start = 0
        while start < min(left.count, right.count), left[start] == right[start] { start += 1 }
        var end = 0
        while end < min(left.count, right.count) - start,
            left[left.count - 1 - end] == right[right.count - 1 - end]
        {
            end += 1
        }
        let middle = (left: start..<left.count - end, right: start..<right.count - end)
        var search = ShortestEdit(left: left[middle.left], right: right[middle.right], limits)
        let pairs = search.pairs()
        isComplete = pairs != nil
        var (i, j) = (0, 0)
        func text(_ line: Substring) -> String {
            line.count > limits.characters ? "\(line.prefix(limits.characters))…" : String(line)
        }
        let common =
            (0..<start).map { ($0, $0) } + (pairs ?? [])
            + (0..<end).map { (left.count - end + $0, right.count - end + $0) }
        for (oldIndex, newIndex) in common + [(left.count, right.count)] {
            while i < oldIndex {
                lines.append(Line(mark: .removed, text: text(old[i]), before: i + 1))
                i += 1
            }
            while j < newIndex {
                lines.append(Line(mark: .added, text: text(new[j]), after: j + 1))
                j += 1
            }
            guard i < left.count, j < right.count else { continue }
            lines.append(Line(mark: .same, text: text(old[i]), before: i + 1, after: j + 1))
            (i, j) = (i + 1, j + 1)
        }
        shorten(to: limits.lines)
    }

    /// The numbers of added and removed lines that are listed.
    package var counts: (added: Int, removed: Int) {
        (lines.count { $0.mark == .added }, lines.count { $0.mark == .removed })
    }

    private static func lines(of text: String) -> [Substring] {
        guard !text.isEmpty else { return [] }
        let plain = text.withPlainLineEnds
        var lines = plain.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// Leaves out unchanged lines far from a change, and then the last lines, if there are more lines than this.
    private mutating func shorten(to limit: Int) {
        guard lines.count > limit else { return }
        isComplete = false
        var isNear = [Bool](repeating: false, count: lines.count)
        for (index, line) in lines.enumerated() where line.mark != .same {
            for near in max(0, index - Self.linesAround)...min(lines.count - 1, index + Self.linesAround) {
                isNear[near] = true
            }
        }
        lines = Array(zip(lines, isNear).lazy.filter(\.1).map(\.0).prefix(limit))
    }
}

/// The search for the shortest list of changes between two lists of numbers.
private struct ShortestEdit {
    private let left: ArraySlice<Int>
    private let right: ArraySlice<Int>
    private let limits: TextDifference.Limits
    private var comparisons = 0

    init(left: ArraySlice<Int>, right: ArraySlice<Int>, _ limits: TextDifference.Limits) {
        self.left = left
        self.right = right
        self.limits = limits
    }

    /// The pairs of equal elements as indices, in their order; nil if the search exceeds a limit.
    mutating func pairs() -> [(Int, Int)]? {
        guard !left.isEmpty, !right.isEmpty else { return [] }
        // furthest[k + offset] is the furthest index on the left that d changes reach on the diagonal k.
        let most = min(limits.changes, left.count + right.count)
        let offset = most + 1
        var furthest = [Int32](repeating: 0, count: 2 * most + 3)
        var trace: [[Int32]] = []
        for changes in 0...most {
            trace.append(Array(furthest[offset - changes...offset + changes]))
            for diagonal in stride(from: -changes, through: changes, by: 2) {
                let isDown =
                    diagonal == -changes
                    || diagonal != changes
                        && furthest[offset + diagonal - 1] < furthest[offset + diagonal + 1]
                var x = Int(isDown ? furthest[offset + diagonal + 1] : furthest[offset + diagonal - 1] + 1)
                var y = x - diagonal
                while x < left.count, y < right.count, y >= 0,
                    left[left.startIndex + x] == right[right.startIndex + y]
                {
                    (x, y) = (x + 1, y + 1)
                    comparisons += 1
                }
                comparisons += 1
                furthest[offset + diagonal] = Int32(x)
                if x >= left.count, y >= right.count { return path(trace) }
                guard comparisons <= limits.comparisons else { return nil }
            }
        }
        return nil
    }

    /// Follows the changes back from the end of both lists.
    /// - Parameter trace: for each number of changes d, the furthest indices on the diagonals -d to d before the step.
    private func path(_ trace: [[Int32]]) -> [(Int, Int)] {
        var (x, y) = (left.count, right.count)
        var pairs: [(Int, Int)] = []
        for changes in stride(from: trace.count - 1, through: 0, by: -1) {
            func reached(_ diagonal: Int) -> Int { Int(trace[changes][diagonal + changes]) }
            let diagonal = x - y
            guard changes > 0 else {
                while x > 0, y > 0 {
                    (x, y) = (x - 1, y - 1)
                    pairs.append((left.startIndex + x, right.startIndex + y))
                }
                break
            }
            let isDown =
                diagonal == -changes || diagonal != changes && reached(diagonal - 1) < reached(diagonal + 1)
            let previous = isDown ? diagonal + 1 : diagonal - 1
            let previousX = reached(previous)
            let start = isDown ? previousX : previousX + 1
            while x > start {
                (x, y) = (x - 1, y - 1)
                pairs.append((left.startIndex + x, right.startIndex + y))
            }
            (x, y) = (previousX, previousX - previous)
        }
        return pairs.reversed()
    }
}
