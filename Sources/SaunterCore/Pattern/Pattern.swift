/// A regular expression of a small safe subset, for whole texts: characters, `.`, classes `[a-z0-9_]` and `[^…]`,
/// `\d \w \s` and their capitals, `\p{L} \p{N}`, groups, `|`, and the quantifiers `? * + {n} {n,} {n,m}`. There is
/// no looking around and no reference back.
///
/// It is matched by walking all alternatives at once, so that the work is at most length × `maximumSteps`, whatever
/// the pattern: no text can make it run away.
package struct Pattern: Sendable, Hashable {
    /// Characters that a pattern may have, and steps that it may come to.
    package static let maximumLength = 500
    package static let maximumSteps = 1000

    /// What a pattern is made of, once quantifiers are written out.
    enum Step: Sendable, Hashable {
        case take(PatternClass)
        /// Goes on at both places.
        case split(Int, Int)
        case jump(Int)
        case end
    }

    /// As it was written.
    package let source: String
    let steps: [Step]

    /// Reads a pattern, or says where it cannot be read.
    package init(_ source: String) throws(PatternFault) {
        var parser = try PatternParser(source)
        self.source = source
        steps = try PatternSteps(parser.pattern()).steps
    }

    /// Whether the whole text is of this form.
    package func matches(_ text: String) -> Bool {
        var current = PatternPlaces(count: steps.count)
        var next = PatternPlaces(count: steps.count)
        current.add(0, steps)
        for scalar in text.unicodeScalars {
            next.clear()
            for place in current.list {
                if case .take(let taken) = steps[place], taken.contains(scalar) { next.add(place + 1, steps) }
            }
            swap(&current, &next)
            if current.list.isEmpty { return false }
        }
        return current.list.contains { steps[$0] == .end }
    }
}

/// Why a pattern cannot be read.
package struct PatternFault: Error, Sendable, Hashable {
    /// The character at which it was found, from 1.
    package let position: Int
    package let detail: String
}

/// The steps at which a walk stands, each once.
struct PatternPlaces {
    private(set) var list: [Int] = []
    private var isIn: [Bool]

    init(count: Int) {
        isIn = Array(repeating: false, count: count)
    }

    mutating func clear() {
        list.removeAll(keepingCapacity: true)
        for place in isIn.indices { isIn[place] = false }
    }

    /// Adds a step and all that can be reached from it without taking a character.
    mutating func add(_ place: Int, _ steps: [Pattern.Step]) {
        var open = [place]
        while let place = open.popLast() {
            guard !isIn[place] else { continue }
            isIn[place] = true
            switch steps[place] {
            case .take, .end: list.append(place)
            case .jump(let target): open.append(target)
            case .split(let first, let second): open += [second, first]
            }
        }
    }
}
