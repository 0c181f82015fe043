import Crypto
import Foundation

/// Numbers that look random and are the same at every drawing: the words of HMAC-SHA256(seed, label ‖
/// counter). Unlike the standard library's generators it is fixed for all time, for plans and allocations
/// must be reproducible years later.
struct SeededDraw {
    private let key: SymmetricKey
    private let label: [UInt8]
    private var counter: UInt64 = 0
    private var words: [UInt64] = []

    /// What is drawn under one label tells nothing about another.
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

    /// A whole number in 0 ..< bound, each equally likely (by rejection); 0 where the bound is below 2.
    mutating func below(_ bound: Int) -> Int {
        guard bound > 1 else { return 0 }
        let width = UInt64(bound)
        let unfair = (UInt64.max % width + 1) % width
        while true {
            let word = word()
            if word <= UInt64.max - unfair { return Int(word % width) }
        }
    }
}
