import CArgon2

/// A password as it is stored: Argon2id in the PHC string form, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
package struct PasswordHash: Sendable, Hashable {
    /// Parameters of OWASP's cheat sheet on password storage: 19 MiB, two passes, one lane.
    static let memoryKiB: UInt32 = 19_456
    static let passes: UInt32 = 2
    static let lanes: UInt32 = 1
    private static let saltLength = 16
    private static let hashLength = 32
    /// Longer passwords are refused before: hashing them costs time that the sender does not pay.
    package static let maximumPasswordBytes = 1024

    /// The PHC string.
    package let text: String

    /// A stored hash; nothing is checked until a password is compared with it.
    package init(stored text: String) {
        self.text = text
    }

    /// Hashes a password: some 50 ms of one core and 19 MiB. Only `PasswordHashing` calls it, on threads of its own.
    static func make(_ password: String) throws(PasswordHashFault) -> PasswordHash {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<saltLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let bytes = Array(password.utf8)
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

    /// Whether this is the password's hash. The comparison takes the same time wherever two hashes differ. A stored text that is no
    /// Argon2id hash, or asks for more than 64 MiB or 8 passes, is nobody's.
    func matches(_ password: String) -> Bool {
        guard let cost = Cost(text), cost.memoryKiB <= 65_536, cost.passes <= 8, cost.lanes <= 4 else {
            return false
        }
        let bytes = Array(password.utf8)
        guard bytes.count <= Self.maximumPasswordBytes else { return false }
        return argon2id_verify(text, bytes, bytes.count) == ARGON2_OK.rawValue
    }

    /// It was made with other parameters than today's: hash again at the next login.
    package var needsRehash: Bool {
        Cost(text) != Cost(memoryKiB: Self.memoryKiB, passes: Self.passes, lanes: Self.lanes)
    }

    /// What a hash costs, as its text says.
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

/// The hash could not be made: no memory, or a password that is too long. The code is libargon2's.
package struct PasswordHashFault: Error, Hashable, CustomStringConvertible {
    package let code: Int32

    package var description: String { "a password could not be hashed (libargon2 \(code))" }
}
