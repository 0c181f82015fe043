import SaunterPacks

/// Damages packs at random. The same seed results in the same damage.
struct Mutation {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A copy with one to four changes in its files.
    mutating func damaged(_ pack: PackFiles) -> PackFiles {
        var files = pack.files
        for _ in 0...below(4) {
            let paths = files.keys.sorted()
            guard !paths.isEmpty else { break }
            let path = paths[below(paths.count)]
            switch below(12) {
            case 0: files[path] = nil
            case 1: files[path] = files[paths[below(paths.count)]]
            default: files[path] = changed(files[path] ?? "")
            }
        }
        return PackFiles(files: files)
    }

    private static let tokens = [
        "-1", "0", "1000000000", "-1000000000", "999999999999", "1e12", "-1e12", "1e400", "0.1", "null", "~",
        "true", "", "[]", "{}",
        "[", "{", "]", "}", ":", "- ", "? ", "!!int", "|", ">-", "#", "'", "\"", "*a", "&a", "\u{0}",
        "\u{85}", "\u{2028}", "\r", "\t",
        "%YAML 1.1", "---", "...", "🚶", "e\u{301}", "../..", "/", "~0~1", "9999-12-31", "0001-01-01",
        "23:59:59", "3653d", "0s",
        "q1", "choice", "group", "text", "sum", "total", "value", "item", "set", "once", "walk", "{{", "}}",
        "<<: ", "\\x00", "\\ud800",
    ]

    private mutating func changed(_ text: String) -> String {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(
            Array.init)
        let at = below(lines.count)
        switch below(8) {
        case 0: lines.remove(at: at)
        case 1: lines.insert(lines[below(lines.count)], at: at)
        case 2: lines.swapAt(at, below(lines.count))
        case 3: lines[at].insert(contentsOf: "  ".utf8, at: 0)
        case 4: lines[at] = Array(lines[at].prefix(below(lines[at].count + 1)))
        case 5: lines[at] = numbersReplaced(lines[at])
        default:
            let token = Self.tokens[below(Self.tokens.count)].utf8
            let start = below(lines[at].count + 1)
            let end = min(lines[at].count, start + below(6))
            lines[at].replaceSubrange(start..<end, with: token)
        }
        return String(decoding: Array(lines.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self)
    }

    private mutating func numbersReplaced(_ line: [UInt8]) -> [UInt8] {
        let token = Self.tokens[below(9)].utf8
        return line.flatMap { (48...57).contains($0) && below(2) == 0 ? Array(token) : [$0] }
    }

    /// SplitMix64.
    private mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((bits ^ (bits >> 31)) % UInt64(max(1, bound)))
    }
}
