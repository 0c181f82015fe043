import CArgon2
import Foundation

/// A stored password: Argon2id in the PHC string format, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
package struct PasswordHash: Sendable, Hashable {
    /// Parameters of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane.
    static let memoryKiB: UInt32 = 19_456
    static let passes: UInt32 = 2
    static let lanes: UInt32 = 1
    private static let saltLength = 16
    private static let hashLength = 32
    /// Callers reject longer passwords before they hash them: a long password would cost the server time and the client
    /// nothing.
    package static let maximumPasswordBytes = 1024

    /// What is stored for an account that has no password yet. No password matches it.
    package static let none = PasswordHash(stored: "!")

    /// The PHC string.
    package let text: String

    /// A stored hash. It is parsed when a password is compared with it.
    package init(stored text: String) {
        self.text = text
    }

    /// Hashes a password. This takes about 50 ms of one core and 19 MiB. Requests call `PasswordHasher`, which does
    /// this on separate threads.
    static func make(_ password: String) throws(PasswordHashFault) -> PasswordHash {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<saltLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let bytes = bytes(of: password)
        guard bytes.count <= maximumPasswordBytes else {
            throw PasswordHashFault(code: ARGON2_PWD_TOO_LONG.rawValue)
        }
        let length = argon2_encodedlen(
            passes, memoryKiB, lanes, UInt32(saltLength), UInt32(hashLength), Argon2_id)
        var encoded = [CChar](repeating: 0, count: length)
        let status = argon2id_hash_encoded(
            passes, memoryKiB, lanes, bytes, bytes.count, salt, salt.count, hashLength, &encoded,
            encoded.count)
        guard status == ARGON2_OK.rawValue else { throw PasswordHashFault(code: status) }
        let end = encoded.firstIndex(of: 0) ?? encoded.count
        return PasswordHash(
            stored: String(decoding: encoded[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    /// Whether the password has this hash. The comparison of the two hashes takes constant time.
    /// Returns false if the stored text is no Argon2id hash, or requires more than 64 MiB, 8 passes or 4 lanes.
    func matches(_ password: String) -> Bool {
        guard let cost = Cost(text), cost.memoryKiB <= 65_536, cost.passes <= 8, cost.lanes <= 4 else {
            return false
        }
        let bytes = Self.bytes(of: password)
        guard bytes.count <= Self.maximumPasswordBytes else { return false }
        return argon2id_verify(text, bytes, bytes.count) == ARGON2_OK.rawValue
    }

    /// The hashed bytes. Keyboards compose characters such as é differently, so the password is normalised (NFC).
    private static func bytes(of password: String) -> [UInt8] {
        Array(password.precomposedStringWithCanonicalMapping.utf8)
    }

    /// Whether the hash was made with other parameters than the current ones. Then the next login stores a new hash.
    package var needsRehash: Bool {
        Cost(text) != Cost(memoryKiB: Self.memoryKiB, passes: Self.passes, lanes: Self.lanes)
    }

    /// The cost parameters in the text of a hash.
    private struct Cost: Equatable {
        let memoryKiB: UInt32
        let passes: UInt32
        let lanes: UInt32

        init(memoryKiB: UInt32, passes: UInt32, lanes: UInt32) {
            self.memoryKiB = memoryKiB
            self.passes = passes
            self.lanes = lanes
        }

        init?(_ text: String) {
            let parts = text.split(separator: "$", omittingEmptySubsequences: false)
            guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19" else {
                return nil
            }
            let numbers = parts[3].split(separator: ",")
            guard numbers.count == 3, let memory = Self.number(numbers[0], "m="),
                let passes = Self.number(numbers[1], "t="),
                let lanes = Self.number(numbers[2], "p=")
            else { return nil }
            self.init(memoryKiB: memory, passes: passes, lanes: lanes)
        }

        private static func number(_ text: Substring, _ name: String) -> UInt32? {
            text.hasPrefix(name) ? UInt32(text.dropFirst(name.count)) : nil
        }
    }
}

/// The hash could not be computed: there is not enough memory, or the password is too long. The code is libargon2's.
package struct PasswordHashFault: Error, Hashable, CustomStringConvertible {
    /// The error code of libargon2, a negative number.
    package let code: Int32

    /// One line with the code, without the password.
    package var description: String { "a password could not be hashed (libargon2 \(code))" }
}
