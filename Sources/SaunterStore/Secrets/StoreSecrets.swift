import Crypto
import Foundation
import SaunterCore

/// Sealed bytes that this key cannot open: another key's, or tampered with.
package struct UnsealFault: Error, CustomStringConvertible {
    package var description: String { "a sealed value cannot be opened with this server's master key" }
}

/// What the master key is used for. Each purpose has a key of its own, derived by HKDF, so that none can be turned against another.
package struct StoreSecrets: Sendable {
    private let sealing: SymmetricKey
    private let lookups: SymmetricKey
    private let studies: SymmetricKey
    private let releases: SymmetricKey
    private let pushes: SymmetricKey

    /// - Parameter master: 32 random bytes that the database does not hold.
    package init(master: [UInt8]) {
        func key(_ purpose: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: master), info: Data("saunter/\(purpose)/1".utf8),
                outputByteCount: 32)
        }
        sealing = key("seal")
        lookups = key("lookup")
        studies = key("study")
        releases = key("release")
        pushes = key("push")
    }

    /// The same for the same master key, and of no use for finding it.
    var check: [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data("saunter/check/1".utf8), using: lookups))
    }

    /// A keyed digest by which an address is found. Case is folded; what else providers ignore is theirs to know.
    func lookup(email: String) -> [UInt8] {
        let normal = email.precomposedStringWithCanonicalMapping.lowercased()
        return Array(HMAC<SHA256>.authenticationCode(for: Data(normal.utf8), using: lookups))
    }

    /// A keyed digest by which a device's address is found.
    func lookup(endpoint: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data("endpoint|\(endpoint)".utf8), using: lookups))
    }

    /// The secret of a study: its arms and random moments follow from it.
    package func studySeed(_ study: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(study.utf8), using: studies))
    }

    /// The secret that the pseudonyms and shifted dates of a study's de-identified datasets follow from.
    package func releaseSecret(_ study: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(study.utf8), using: releases))
    }

    /// 32 bytes for the key by which push services know this server; the next number's where these are no scalar of the curve.
    package func pushScalar(_ number: Int) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data("vapid/\(number)".utf8), using: pushes))
    }

    /// AES-GCM: nonce, ciphertext, tag. Bound to the account and the column, so that a sealed value cannot be moved to another row.
    func seal(_ text: String, _ column: String, of account: AccountID) throws -> [UInt8] {
        try seal(Data(text.utf8), binding: "\(account)|\(column)")
    }

    func open(_ sealed: [UInt8], _ column: String, of account: AccountID) throws -> String {
        guard let text = String(validating: try open(sealed, binding: "\(account)|\(column)"), as: UTF8.self)
        else { throw UnsealFault() }
        return text
    }

    func seal(webhook secret: String, of study: String) throws -> [UInt8] {
        try seal(Data(secret.utf8), binding: "webhook|\(study)")
    }

    func open(webhook sealed: [UInt8], of study: String) throws -> String {
        guard let text = String(validating: try open(sealed, binding: "webhook|\(study)"), as: UTF8.self)
        else {
            throw UnsealFault()
        }
        return text
    }

    func sealKey(_ key: [UInt8], id: String) throws -> [UInt8] {
        try seal(Data(key), binding: "signing_key|\(id)")
    }

    func openKey(_ sealed: [UInt8], id: String) throws -> [UInt8] {
        Array(try open(sealed, binding: "signing_key|\(id)"))
    }

    private func seal(_ data: Data, binding: String) throws -> [UInt8] {
        let box = try AES.GCM.seal(data, using: sealing, authenticating: Data(binding.utf8))
        guard let combined = box.combined else { throw UnsealFault() }
        return Array(combined)
    }

    private func open(_ sealed: [UInt8], binding: String) throws -> Data {
        do {
            return try AES.GCM.open(
                AES.GCM.SealedBox(combined: Data(sealed)), using: sealing, authenticating: Data(binding.utf8))
        } catch {
            throw UnsealFault()
        }
    }
}
