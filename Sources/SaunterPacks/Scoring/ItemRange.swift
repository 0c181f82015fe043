import Foundation

/// A range of item names in `scoring.yaml`: `q1..q20` means q1, q2 and so on to q20, and `q01..q20` means q01 to q20.
struct ItemRange {
    private static let maximumCount = 1000

    let names: [String]

    /// Returns nil unless both ends are the same text followed by a number, and the second number is greater than the
    /// first one. Also returns nil for more than 1,000 names.
    init?(_ text: String) {
        let ends = text.components(separatedBy: "..").map(Self.parts)
        guard ends.count == 2, let first = ends[0], let last = ends[1], first.stem == last.stem,
            let low = Int(first.digits), let high = Int(last.digits), low < high,
            high - low < Self.maximumCount
        else { return nil }
        let isPadded = first.digits.hasPrefix("0") && first.digits.count > 1
        guard isPadded ? first.digits.count == last.digits.count : !last.digits.hasPrefix("0") else {
            return nil
        }
        names = (low...high).map { number in
            let digits = String(number)
            let padding = isPadded ? String(repeating: "0", count: first.digits.count - digits.count) : ""
            return "\(first.stem)\(padding)\(digits)"
        }
    }

    /// The text before the number, and the digits of the number. Nil if one of them is empty, if there are more than
    /// six digits, or if the name is not ASCII.
    private static func parts(_ name: String) -> (stem: String, digits: String)? {
        let stem = name.utf8.reversed().drop { (48...57).contains($0) }.count
        let digits = name.utf8.count - stem
        guard stem > 0, (1...6).contains(digits), name.utf8.allSatisfy({ $0 < 128 }) else { return nil }
        return (String(name.prefix(stem)), String(name.suffix(digits)))
    }
}

extension YAMLNode {
    /// A copy in which the names of a range replace each range in lists with the key `items` or `reverse`. Lists then
    /// have one element per item, so that the index of an item leads to its line.
    func expandingItemRanges(_ log: FaultLog) -> YAMLNode {
        switch content {
        case .scalar: return self
        case .sequence(let elements):
            return YAMLNode(content: .sequence(elements.map { $0.expandingItemRanges(log) }), line: line)
        case .mapping(let entries):
            let expanded = entries.map { entry in
                let isList = ["items", "reverse"].contains(entry.key)
                let value = isList ? entry.value.expandingElements(log) : entry.value
                return YAMLEntry(key: entry.key, line: entry.line, value: value.expandingItemRanges(log))
            }
            return YAMLNode(content: .mapping(expanded), line: line)
        }
    }

    private func expandingElements(_ log: FaultLog) -> YAMLNode {
        guard case .sequence(let elements) = content else { return self }
        let expanded = elements.flatMap { element -> [YAMLNode] in
            guard let text = element.scalar?.text, text.contains("..") else { return [element] }
            guard let range = ItemRange(text) else {
                log.note(
                    element.line,
                    "expected a range of items such as q1..q20, found \"\(text.prefix(60))\"")
                return [element]
            }
            return range.names.map { name in
                YAMLNode(content: .scalar(YAMLScalar(text: name, isPlain: true)), line: element.line)
            }
        }
        return YAMLNode(content: .sequence(expanded), line: line)
    }
}
