import Crypto
import Foundation
import SaunterCore

/// Encrypts and decrypts the parts of a backup with AES-256-GCM. The nonce contains the number of the part and a flag
/// for the last part. This is the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár 2015). It detects a changed,
/// missing, moved or truncated part.
///
/// Each backup has its own key: HKDF-SHA256 of the master key and a random salt.
struct BackupCipher {
    static let saltLength = 32
    /// The bytes that GCM adds to a part.
    static let overhead = 16

    private let key: Secret<SymmetricKey>
    private var number: UInt64 = 0

    /// - Parameters:
    ///   - master: the server's master key.
    ///   - salt: `saltLength` random bytes from the head of the file.
    init(master: [UInt8], salt: [UInt8]) {
        key = Secret(
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: master), salt: Data(salt),
                info: Data("saunter/backup/1".utf8), outputByteCount: 32))
    }

    /// Encrypts the next part.
    mutating func seal(_ part: [UInt8], isLast: Bool) throws -> [UInt8] {
        let box = try AES.GCM.seal(Data(part), using: key.revealed, nonce: try nonce(isLast: isLast))
        number += 1
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// Decrypts the next part and returns whether it is the last. Nil if it is not the expected part.
    mutating func open(_ sealed: [UInt8]) -> (part: [UInt8], isLast: Bool)? {
        guard sealed.count >= Self.overhead else { return nil }
        for isLast in [false, true] {
            guard let nonce = try? nonce(isLast: isLast),
                let box = try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: Data(sealed.dropLast(Self.overhead)),
                    tag: Data(sealed.suffix(Self.overhead))),
                // If both nonces fail, it is not the expected part.
                let part = try? AES.GCM.open(box, using: key.revealed)
            else { continue }
            number += 1
            return (Array(part), isLast)
        }
        return nil
    }

    /// 3 zero bytes, the number of the part in 8 bytes, and 1 for the last part.
    private func nonce(isLast: Bool) throws -> AES.GCM.Nonce {
        let bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        return try AES.GCM.Nonce(data: Data([0, 0, 0] + bytes + [isLast ? 1 : 0]))
    }
}
