import Crypto
import Foundation
import SaunterCore

/// This key cannot decrypt the sealed bytes: they were sealed with another key, or they were changed.
package struct UnsealFault: Error, CustomStringConvertible {
    /// One line for the operator.
    package var description: String { "a sealed value cannot be opened with this server's master key" }
}

/// Encryption and keyed digests with keys derived from the master key. Each purpose has a separate key, derived by
/// HKDF, so that no key can be misused for another purpose.
package struct StoreSecrets: Sendable {
    private let sealingKey: Secret<SymmetricKey>
    private let lookupKey: Secret<SymmetricKey>
    private let studyKey: Secret<SymmetricKey>
    private let releaseKey: Secret<SymmetricKey>
    private let pushKey: Secret<SymmetricKey>
    private let auditKey: Secret<SymmetricKey>
    private let deviceKey: Secret<SymmetricKey>

    /// - Parameter master: 32 random bytes that are not in the database.
    package init(master: [UInt8]) {
        func key(_ purpose: String) -> Secret<SymmetricKey> {
            Secret(
                HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: master), info: Data("saunter/\(purpose)/1".utf8),
                    outputByteCount: 32))
        }
        sealingKey = key("seal")
        lookupKey = key("lookup")
        studyKey = key("study")
        releaseKey = key("release")
        pushKey = key("push")
        auditKey = key("audit")
        deviceKey = key("device")
    }

    /// A digest that identifies the master key. It does not reveal the key.
    var masterKeyDigest: [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data("saunter/check/1".utf8), using: lookupKey.revealed))
    }

    /// A keyed digest that finds an email address. It ignores case.
    func lookup(email: String) -> [UInt8] {
        let normal = email.precomposedStringWithCanonicalMapping.lowercased()
        return Array(HMAC<SHA256>.authenticationCode(for: Data(normal.utf8), using: lookupKey.revealed))
    }

    /// A keyed digest that finds the endpoint of a push subscription.
    func lookup(endpoint: String) -> [UInt8] {
        Array(
            HMAC<SHA256>.authenticationCode(for: Data("endpoint|\(endpoint)".utf8), using: lookupKey.revealed)
        )
    }

    /// A keyed digest that finds a purchase by the id of its first transaction in a store.
    func lookup(purchase original: String, from provider: String) -> [UInt8] {
        Array(
            HMAC<SHA256>.authenticationCode(
                for: Data("purchase|\(provider)|\(original)".utf8), using: lookupKey.revealed))
    }

    /// A keyed digest that finds an enrolment code of a study. The same code of another study has another digest.
    func lookup(_ code: EnrolmentCodeSecret, of study: String) -> [UInt8] {
        Array(
            HMAC<SHA256>.authenticationCode(
                for: Data("enrolment_code|\(study)|\(code.normalised)".utf8), using: lookupKey.revealed))
    }

    /// The id under which the team of a study sees an invitation. Another invitation of the same address has another
    /// id, so ids do not show whether the address had an account before.
    func invitationID(of account: AccountID, study: String, role: Role, invitedAt: Instant) -> UUID {
        let text = "invitation|\(account)|\(study)|\(role.rawValue)|\(invitedAt.milliseconds)"
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: lookupKey.revealed)
        return Array(code.prefix(16)).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// The keyed digest that represents an account in the audit, 32 hexadecimal digits. It leads to the account only
    /// for a caller who has both the master key and the id. An erasure deletes the id.
    package func auditRef(of account: AccountID) -> String { auditRef("account", account.uuid) }

    /// The keyed digest that represents an enrolment in the audit.
    package func auditRef(of enrolment: EnrolmentID) -> String { auditRef("enrolment", enrolment.uuid) }

    /// The keyed digest that represents a participant's record in the audit.
    func auditRef(ofRecord id: UUID) -> String { auditRef("record", id) }

    private func auditRef(_ kind: String, _ id: UUID) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(kind)|\(id.uuidString.lowercased())".utf8), using: auditKey.revealed)
        return Hex.encode(code.prefix(16))
    }

    /// The secret of a study. Its allocations and random instants follow from it.
    package func studySeed(_ study: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(study.utf8), using: studyKey.revealed))
    }

    /// The secret from which the pseudonyms and shifted dates of a study's de-identified datasets follow.
    package func releaseSecret(_ study: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(study.utf8), using: releaseKey.revealed))
    }

    /// 32 bytes for the private key that identifies this server to push services (VAPID). If the bytes are not a valid
    /// scalar of the curve, the caller calls the function again with the next number.
    package func pushScalar(_ number: Int) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data("vapid/\(number)".utf8), using: pushKey.revealed))
    }

    /// 32 bytes with which a browser encrypts the unsent records of an account before it logs out (AES-GCM). Only a
    /// session of the account gets them.
    package func deviceKey(of account: AccountID) -> [UInt8] {
        Array(
            HMAC<SHA256>.authenticationCode(
                for: Data("unsent|\(account.uuid.uuidString.lowercased())".utf8), using: deviceKey.revealed))
    }

    /// Encrypts with AES-GCM: nonce, ciphertext, tag. The result is bound to the account and the column, so that it
    /// cannot be copied to another row.
    func seal(_ text: String, _ column: String, of account: AccountID) throws -> [UInt8] {
        try seal(Data(text.utf8), binding: "\(account)|\(column)")
    }

    /// Decrypts what `seal` returned for the same account and column.
    /// - Throws: `UnsealFault`.
    func open(_ sealed: [UInt8], _ column: String, of account: AccountID) throws -> String {
        guard let text = String(validating: try open(sealed, binding: "\(account)|\(column)"), as: UTF8.self)
        else { throw UnsealFault() }
        return text
    }

    /// Encrypts the secret of a study's webhook.
    func seal(webhook secret: String, of study: String) throws -> [UInt8] {
        try seal(Data(secret.utf8), binding: "webhook|\(study)")
    }

    /// Decrypts the secret of a study's webhook.
    /// - Throws: `UnsealFault`.
    func open(webhook sealed: [UInt8], of study: String) throws -> String {
        guard let text = String(validating: try open(sealed, binding: "webhook|\(study)"), as: UTF8.self)
        else {
            throw UnsealFault()
        }
        return text
    }

    /// Encrypts a private signing key, bound to its id.
    func sealKey(_ key: [UInt8], id: String) throws -> [UInt8] {
        try seal(Data(key), binding: "signing_key|\(id)")
    }

    /// Decrypts a private signing key.
    /// - Throws: `UnsealFault`.
    func openKey(_ sealed: [UInt8], id: String) throws -> [UInt8] {
        Array(try open(sealed, binding: "signing_key|\(id)"))
    }

    private func seal(_ data: Data, binding: String) throws -> [UInt8] {
        let box = try AES.GCM.seal(data, using: sealingKey.revealed, authenticating: Data(binding.utf8))
        guard let combined = box.combined else { throw UnsealFault() }
        return Array(combined)
    }

    private func open(_ sealed: [UInt8], binding: String) throws -> Data {
        do {
            return try AES.GCM.open(
                AES.GCM.SealedBox(combined: Data(sealed)), using: sealingKey.revealed,
                authenticating: Data(binding.utf8))
        } catch {
            throw UnsealFault()
        }
    }
}
