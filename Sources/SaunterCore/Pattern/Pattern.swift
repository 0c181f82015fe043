/// A regular expression in a small, safe subset. It must match the complete text. The subset has characters, `.`,
/// classes `[a-z0-9_]` and `[^…]`, `\d \w \s` and their capitals, `\p{L} \p{N}`, groups, `|`, and the quantifiers `? *
/// + {n} {n,} {n,m}`. It has no lookaround and no back-references.
///
/// The matcher simulates a nondeterministic finite automaton: it follows all alternatives at the same time. The work is
/// at most length × `maximumSteps` for every pattern, so no text can cause catastrophic backtracking.
package struct Pattern: Sendable, Hashable {
    /// The maximum number of characters of a pattern.
    package static let maximumLength = 500
    /// The maximum number of steps of a compiled pattern.
    package static let maximumSteps = 1000

    /// An instruction of the compiled pattern, in which quantifiers are expanded. Numbers are indices of steps.
    enum Step: Sendable, Hashable {
        /// Consumes one character of the class, and continues at the next step.
        case consume(PatternClass)
        /// Continues at both steps.
        case split(Int, Int)
        /// Continues at this step.
        case jump(Int)
        /// The pattern matches here.
        case end
    }

    /// The pattern as its author wrote it.
    package let source: String
    let steps: [Step]

    /// Compiles a pattern.
    /// - Throws: the first fault and its position.
    package init(_ source: String) throws(PatternFault) {
        var parser = try PatternParser(source)
        self.source = source
        steps = try PatternSteps(parser.pattern()).steps
    }

    /// Whether the complete text matches.
    package func matches(_ text: String) -> Bool {
        var current = ActiveSteps(count: steps.count)
        var next = ActiveSteps(count: steps.count)
        current.add(0, steps)
        for scalar in text.unicodeScalars {
            next.clear()
            for index in current.indices {
                if case .consume(let characters) = steps[index], characters.contains(scalar) {
                    next.add(index + 1, steps)
                }
            }
            swap(&current, &next)
            if current.indices.isEmpty { return false }
        }
        return current.indices.contains { steps[$0] == .end }
    }
}

/// Why a pattern cannot be compiled.
package struct PatternFault: Error, Sendable, Hashable {
    /// The position of the fault in characters, from 1.
    package let position: Int
    /// The explanation for people, without a full stop.
    package let detail: String
}

/// The steps that are active during matching, each at most once.
struct ActiveSteps {
    private(set) var indices: [Int] = []
    private var isActive: [Bool]

    init(count: Int) {
        isActive = Array(repeating: false, count: count)
    }

    mutating func clear() {
        indices.removeAll(keepingCapacity: true)
        for index in isActive.indices { isActive[index] = false }
    }

    /// Adds a step, and every step that is reachable from it without consuming a character.
    mutating func add(_ index: Int, _ steps: [Pattern.Step]) {
        var pending = [index]
        while let index = pending.popLast() {
            guard !isActive[index] else { continue }
            isActive[index] = true
            switch steps[index] {
            case .consume, .end: indices.append(index)
            case .jump(let target): pending.append(target)
            case .split(let first, let second): pending += [second, first]
            }
        }
    }
}

extension Pattern {
    /// The maximum length of an example.
    private static let maximumExampleLength = 1000
    /// The length of an example is drawn from this many of the shortest possible lengths.
    private static let candidateLengths = 8

    /// Returns a random text that matches, for simulated participants. It prefers lower-case letters and digits.
    /// - Parameter lengths: the permitted lengths in Unicode scalars.
    /// - Returns: nil if no matching text has a permitted length.
    package func example(
        lengths: ClosedRange<Int>, from numbers: inout some RandomNumberGenerator
    ) -> String? {
        let canEnd = self.canEnd(lengths)
        let possible = canEnd.indices.filter { lengths.contains($0) && canEnd[$0][0] }
        guard var remaining = possible.randomElement(using: &numbers) else { return nil }
        var text = String.UnicodeScalarView()
        var index = 0
        while remaining > 0 {
            // Draws from all steps that can consume the next character. A walk from step to step might loop forever
            // through steps that consume nothing.
            var active = ActiveSteps(count: steps.count)
            active.add(index, steps)
            let candidates = active.indices.filter { steps[$0] != .end && canEnd[remaining - 1][$0 + 1] }
            guard let next = candidates.randomElement(using: &numbers),
                case .consume(let characters) = steps[next],
                let scalar = characters.example(from: &numbers)
            else { return nil }
            text.append(scalar)
            index = next + 1
            remaining -= 1
        }
        return String(text)
    }

    /// A table `[remaining][step]`: whether the pattern can end exactly `remaining` characters after this step. It has
    /// rows for 0, 1, … remaining characters, and stops when it contains enough permitted lengths.
    private func canEnd(_ lengths: ClosedRange<Int>) -> [[Bool]] {
        var predecessors = Array(repeating: [Int](), count: steps.count)
        for (index, step) in steps.enumerated() {
            switch step {
            case .jump(let target): predecessors[target].append(index)
            case .split(let first, let second):
                predecessors[first].append(index)
                predecessors[second].append(index)
            case .consume, .end: break
            }
        }
        var table: [[Bool]] = []
        var found = 0
        let longest = min(max(lengths.upperBound, 0), Self.maximumExampleLength)
        for remaining in 0...longest where found < Self.candidateLengths {
            var pending = steps.indices.filter { index in
                switch steps[index] {
                case .end: remaining == 0
                case .consume: remaining > 0 && table[remaining - 1][index + 1]
                case .jump, .split: false
                }
            }
            var row = Array(repeating: false, count: steps.count)
            while let index = pending.popLast() {
                guard !row[index] else { continue }
                row[index] = true
                pending += predecessors[index]
            }
            table.append(row)
            if row[0], lengths.contains(remaining) { found += 1 }
        }
        return table
    }
}

extension PatternClass {
    /// The preferred characters of examples, best first: lower-case letters and digits, printable ASCII, tab, line feed
    /// and Latin letters with accents.
    private static let preferred: [[ClosedRange<UInt32>]] = [
        [97...122, 48...57], [32...126], [9...10, 192...255],
    ]

    /// A random character of the class; nil if none is found.
    fileprivate func example(from numbers: inout some RandomNumberGenerator) -> Unicode.Scalar? {
        for ranges in Self.preferred {
            let scalars = ranges.joined().compactMap { Unicode.Scalar($0) }.filter(contains)
            if let scalar = scalars.randomElement(using: &numbers) { return scalar }
        }
        guard !isNegated, let range = ranges.randomElement(using: &numbers) else { return nil }
        return Unicode.Scalar(UInt32.random(in: range, using: &numbers))
    }
}
