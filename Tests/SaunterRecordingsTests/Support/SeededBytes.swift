/// Damages bytes at random; the same seed produces the same damage (SplitMix64).
struct SeededBytes {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func number(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(max(1, bound)))
    }

    /// Flips bits, overwrites, removes or duplicates bytes, or truncates, up to eight times.
    mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...number(below: 8) where !bytes.isEmpty {
            let index = number(below: bytes.count)
            switch number(below: 6) {
            case 0, 1: bytes[index] ^= 1 << UInt8(number(below: 8))
            case 2: bytes[index] = [0, 0xFF, 0x7F, 0x80, UInt8(number(below: 256))][number(below: 5)]
            case 3: bytes.removeSubrange(index..<min(bytes.count, index + 1 + number(below: 20)))
            case 4:
                bytes.insert(
                    contentsOf: bytes[index..<min(bytes.count, index + 1 + number(below: 20))], at: index)
            default: bytes.removeSubrange((index + (bytes.count - index) / 2)...)
            }
        }
        return bytes
    }
}
