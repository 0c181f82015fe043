import Crypto
import Foundation

/// A message in the content coding `aes128gcm` (RFC 8188), as one record.
struct EncryptedRecord {
    /// The record size in bytes, header included. All push services accept it.
    static let size = 4096
    /// The header: 16 bytes salt, 4 bytes record size, 1 byte key id length.
    private static let headerBytes = 21
    /// The delimiter that ends the last record (1 byte) and the tag (16 bytes).
    private static let trailerBytes = 17

    /// The maximum plaintext in bytes for a key id of this length.
    static func maximumPlaintext(keyIDBytes: Int) -> Int { size - headerBytes - keyIDBytes - trailerBytes }

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
        // The record number is 0, so the derived nonce is used unchanged.
        let nonce = try derive("nonce", 12).withUnsafeBytes { try AES.GCM.Nonce(data: Data($0)) }
        let box = try AES.GCM.seal(plaintext + [2], using: derive("aes128gcm", 16), nonce: nonce)
        let size = UInt32(Self.size)
        let header = salt + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
        bytes = header + [UInt8(keyID.count)] + keyID + Array(box.ciphertext) + Array(box.tag)
    }
}

extension PushSubscription {
    /// The maximum plaintext in bytes. It must fit into one record with its header.
    static let maximumPlaintext = EncryptedRecord.maximumPlaintext(keyIDBytes: 65)

    /// Encrypts a message so that only the device can read it (RFC 8291).
    /// - Parameters:
    ///   - key: used for this one message.
    ///   - salt: 16 random bytes.
    func encrypted(
        _ plaintext: [UInt8], key: P256.KeyAgreement.PrivateKey = P256.KeyAgreement.PrivateKey(),
        salt: [UInt8] = randomSalt()
    ) throws -> [UInt8] {
        let deviceKey = try P256.KeyAgreement.PublicKey(x963Representation: publicKey)
        let ownKey = Array(key.publicKey.x963Representation)
        let input = try key.sharedSecretFromKeyAgreement(with: deviceKey).hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: secret,
            sharedInfo: Data("WebPush: info\0".utf8) + Data(publicKey) + Data(ownKey), outputByteCount: 32)
        return try EncryptedRecord(sealing: plaintext, input: input, salt: salt, keyID: ownKey).bytes
    }

    private static func randomSalt() -> [UInt8] {
        SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
    }
}
