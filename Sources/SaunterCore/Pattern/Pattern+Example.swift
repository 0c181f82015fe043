/// Texts of a pattern's form.
extension Pattern {
    /// The longest text that is made, and among how many lengths, from the least on, one is drawn.
    private static let longest = 1000
    private static let fewLengths = 8

    /// A text of this form, drawn by a source of random numbers: of small letters and digits wherever it may. Nil where no
    /// text has a length within the bounds, which count Unicode scalars.
    package func example(
        lengths: ClosedRange<Int>, from numbers: inout some RandomNumberGenerator
    ) -> String? {
        let ahead = self.ahead(of: lengths)
        let possible = ahead.indices.filter { lengths.contains($0) && ahead[$0][0] }
        guard var left = possible.randomElement(using: &numbers) else { return nil }
        var text = String.UnicodeScalarView()
        var place = 0
        while left > 0 {
            // Of all that may take the next character, not step by step: ways that take nothing may lead back for ever.
            var places = PatternPlaces(count: steps.count)
            places.add(place, steps)
            let open = places.list.filter { steps[$0] != .end && ahead[left - 1][$0 + 1] }
            guard let next = open.randomElement(using: &numbers), case .take(let taken) = steps[next],
                let scalar = taken.example(from: &numbers)
            else { return nil }
            text.append(scalar)
            place = next + 1
            left -= 1
        }
        return String(text)
    }

    /// By the number of characters that are left: whether so many lead from a step to the end. As long as it takes to know
    /// some lengths within the bounds.
    private func ahead(of lengths: ClosedRange<Int>) -> [[Bool]] {
        var origins = Array(repeating: [Int](), count: steps.count)
        for (place, step) in steps.enumerated() {
            switch step {
            case .jump(let target): origins[target].append(place)
            case .split(let first, let second):
                origins[first].append(place)
                origins[second].append(place)
            case .take, .end: break
            }
        }
        var ahead: [[Bool]] = []
        var found = 0
        for left in 0...min(max(lengths.upperBound, 0), Self.longest) where found < Self.fewLengths {
            var open = steps.indices.filter { place in
                switch steps[place] {
                case .end: left == 0
                case .take: left > 0 && ahead[left - 1][place + 1]
                case .jump, .split: false
                }
            }
            var row = Array(repeating: false, count: steps.count)
            while let place = open.popLast() {
                guard !row[place] else { continue }
                row[place] = true
                open += origins[place]
            }
            ahead.append(row)
            if row[0], lengths.contains(left) { found += 1 }
        }
        return ahead
    }
}

extension PatternClass {
    /// Small letters and digits, else printed characters of ASCII, else others.
    private static let usual: [[ClosedRange<UInt32>]] = [
        [97...122, 48...57], [32...126], [9...10, 192...255],
    ]

    /// One of its characters; nil where none is found.
    fileprivate func example(from numbers: inout some RandomNumberGenerator) -> Unicode.Scalar? {
        for kind in Self.usual {
            let scalars = kind.joined().compactMap { Unicode.Scalar($0) }.filter(contains)
            if let scalar = scalars.randomElement(using: &numbers) { return scalar }
        }
        guard !isNegated, let range = ranges.randomElement(using: &numbers) else { return nil }
        return Unicode.Scalar(UInt32.random(in: range, using: &numbers))
    }
}
