/// The known name that is closest to a misspelt one. Returns nil if more than a third of its bytes differ.
package func closestName(to name: String, among known: [String]) -> String? {
    let given = Array(name.lowercased().utf8.prefix(64))
    var best: (distance: Int, name: String)?
    for candidate in known {
        let distance = editDistance(given, Array(candidate.lowercased().utf8))
        if best.map({ distance < $0.distance }) ?? true { best = (distance, candidate) }
    }
    guard let best, best.distance * 3 <= max(given.count, best.name.utf8.count) else { return nil }
    return best.name
}

/// The edit distance in bytes: insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
/// `emial` is one step from `email`.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var before: [Int] = []
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var next = [i + 1]
        for (j, b) in right.enumerated() {
            var minimum = min(a == b ? row[j] : row[j] + 1, row[j + 1] + 1, next[j] + 1)
            if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { minimum = min(minimum, before[j - 1] + 1) }
            next.append(minimum)
        }
        (before, row) = (row, next)
    }
    return row[right.count]
}
