import Crypto
import Foundation

/// A deterministic random generator: the 64-bit words of HMAC-SHA256(seed, label ‖ counter). Plans and allocations must
/// be reproducible years later, and the generators of the standard library do not guarantee that.
struct SeededDraw {
    private let key: SymmetricKey
    private let label: [UInt8]
    private var counter: UInt64 = 0
    private var words: [UInt64] = []

    /// Sequences with different labels are independent.
    init(seed: [UInt8], label: [[UInt8]]) {
        key = SymmetricKey(data: seed)
        self.label = framed(label)
    }

    mutating func word() -> UInt64 {
        if words.isEmpty {
            let code = HMAC<SHA256>.authenticationCode(for: label + bigEndian(counter), using: key)
            counter &+= 1
            let bytes = Array(code)
            words = stride(from: 24, through: 0, by: -8).map { start in
                bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
            }
        }
        return words.removeLast()
    }

    /// A uniformly distributed number in 0 ..< bound (rejection sampling). Returns 0 if `bound` is below 2.
    mutating func below(_ bound: Int) -> Int {
        guard bound > 1 else { return 0 }
        let width = UInt64(bound)
        let biasedCount = (UInt64.max % width + 1) % width
        while true {
            let word = word()
            if word <= UInt64.max - biasedCount { return Int(word % width) }
        }
    }
}

/// Concatenates fields without ambiguity: each field follows its length (four bytes, big-endian).
func framed(_ fields: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields {
        bytes += bigEndian(UInt32(truncatingIfNeeded: field.count))
        bytes += field
    }
    return bytes
}

func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
}
