import Crypto
import Foundation

/// A message in the content coding `aes128gcm` (RFC 8188), as one record.
struct EncryptedRecord {
    /// All push services take records of so many bytes, head included.
    static let size = 4096
    /// Salt, record size and the length of the key's name.
    private static let headBytes = 21
    /// The delimiter that ends the last record, and the tag.
    private static let tailBytes = 17

    /// What fits into one record whose key's name has so many bytes.
    static func mostPlaintext(keyIDBytes: Int) -> Int { size - headBytes - keyIDBytes - tailBytes }

    let bytes: [UInt8]

    /// - Parameters:
    ///   - input: the input keying material.
    ///   - salt: 16 bytes, never used twice with the same material.
    ///   - keyID: at most 255 bytes.
    init(sealing plaintext: [UInt8], input: SymmetricKey, salt: [UInt8], keyID: [UInt8] = []) throws {
        func derive(_ name: String, _ count: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: input, salt: salt, info: Data("Content-Encoding: \(name)\0".utf8),
                outputByteCount: count)
        }
        // The record's number, 0 for the only one, leaves the nonce as it is derived.
        let nonce = try derive("nonce", 12).withUnsafeBytes { try AES.GCM.Nonce(data: Data($0)) }
        let box = try AES.GCM.seal(plaintext + [2], using: derive("aes128gcm", 16), nonce: nonce)
        let size = UInt32(Self.size)
        let head = salt + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
        bytes = head + [UInt8(keyID.count)] + keyID + Array(box.ciphertext) + Array(box.tag)
    }
}

extension PushSubscription {
    /// The most bytes of a message: with its head it must fit into one record.
    static let mostPlaintext = EncryptedRecord.mostPlaintext(keyIDBytes: 65)

    /// Encrypts a message so that only the device can read it (RFC 8291).
    /// - Parameters:
    ///   - key: used for this one message.
    ///   - salt: 16 random bytes.
    func encrypted(
        _ plaintext: [UInt8], key: P256.KeyAgreement.PrivateKey = P256.KeyAgreement.PrivateKey(),
        salt: [UInt8] = randomSalt()
    ) throws -> [UInt8] {
        let device = try P256.KeyAgreement.PublicKey(x963Representation: publicKey)
        let own = Array(key.publicKey.x963Representation)
        let input = try key.sharedSecretFromKeyAgreement(with: device).hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: secret,
            sharedInfo: Data("WebPush: info\0".utf8) + Data(publicKey) + Data(own), outputByteCount: 32)
        return try EncryptedRecord(sealing: plaintext, input: input, salt: salt, keyID: own).bytes
    }

    private static func randomSalt() -> [UInt8] {
        SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
    }
}
