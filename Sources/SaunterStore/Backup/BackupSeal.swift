import Crypto
import Foundation

/// How the parts of a backup are encrypted and kept in order: AES-256-GCM, each part under its number and whether it is the last one (the STREAM
/// construction: Hoang, Reyhanitabar, Rogaway, Vizár 2015). So a part that is changed, left out, moved or cut off shows.
///
/// The key belongs to one backup alone: HKDF-SHA256 of the master key and the backup's own random salt.
struct BackupSeal {
    static let saltLength = 32
    /// What GCM adds to a part.
    static let overhead = 16

    private let key: SymmetricKey
    private var number: UInt64 = 0

    /// - Parameters:
    ///   - master: the server's master key.
    ///   - salt: `saltLength` random bytes, which stand at the head of the file.
    init(master: [UInt8], salt: [UInt8]) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: master), salt: Data(salt),
            info: Data("saunter/backup/1".utf8),
            outputByteCount: 32)
    }

    /// The next part, encrypted.
    mutating func seal(_ part: [UInt8], isLast: Bool) throws -> [UInt8] {
        let box = try AES.GCM.seal(Data(part), using: key, nonce: try nonce(isLast: isLast))
        number += 1
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// The next part and whether it is the last; nil when it is not the one that must stand here.
    mutating func open(_ sealed: [UInt8]) -> (part: [UInt8], isLast: Bool)? {
        guard sealed.count >= Self.overhead else { return nil }
        for isLast in [false, true] {
            guard let nonce = try? nonce(isLast: isLast),
                let box = try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: Data(sealed.dropLast(Self.overhead)),
                    tag: Data(sealed.suffix(Self.overhead))),
                // Not to be opened under this nonce: it is the other one, or the part does not belong here.
                let part = try? AES.GCM.open(box, using: key)
            else { continue }
            number += 1
            return (Array(part), isLast)
        }
        return nil
    }

    /// 3 zero bytes, the number of the part in 8, and 1 for the last part.
    private func nonce(isLast: Bool) throws -> AES.GCM.Nonce {
        let bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        return try AES.GCM.Nonce(data: Data([0, 0, 0] + bytes + [isLast ? 1 : 0]))
    }
}
