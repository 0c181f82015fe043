import Foundation
import Postgres
import SaunterCore

/// Somebody who was erased, as they can be found in an earlier state of the database and nowhere else.
package struct Erasure: Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// The person with all that belonged to them.
        case account
        /// What they had in one study.
        case enrolment
    }

    package var kind: Kind
    /// Half of the SHA-256 of the id's bytes, 32 hexadecimal digits. Ids are random: nobody comes from it to the id.
    package var ref: String
    package var erasedOn: LocalDate

    package init(kind: Kind, ref: String, erasedOn: LocalDate) {
        self.kind = kind
        self.ref = ref
        self.erasedOn = erasedOn
    }
}

extension Store {
    /// Digests that are looked for at once.
    private static let erasuresAtOnce = 10_000

    /// Everybody who was erased, by their digests from after the given one on.
    package func listErasures(after: String, limit: Int = erasuresAtOnce) async throws -> [Erasure] {
        try await clerk.query(Statements.erasures["list_erasures"], [.text(after), .int(limit)]).map { row in
            Erasure(
                kind: try row.value("kind"), ref: try row.get("ref"),
                erasedOn: try row.localDate("erased_on"))
        }
    }

    /// Erases whoever of these is there again, each person in a transaction of their own. Doing it again changes nothing, so whoever was
    /// interrupted begins anew.
    /// - Returns: how many accounts, and how many enrolments besides theirs.
    package func eraseAgain(
        _ erasures: [Erasure], now: Instant
    ) async throws -> (accounts: Int, enrolments: Int) {
        func audit(_ what: String) -> AuditEntry {
            AuditEntry(actor: .system, action: "erased_again", detail: ["what": .string(what)])
        }
        var (accounts, enrolments) = (0, 0)
        for refs in erasures.refs(of: .account, atOnce: Self.erasuresAtOnce) {
            for row in try await clerk.query(Statements.erasures["find_erased_accounts"], [refs]) {
                let id: AccountID = try row.id("account_id")
                _ = try await erase(account: id, enrolments: [], audit: audit("account"), now: now)
                accounts += 1
            }
        }
        for refs in erasures.refs(of: .enrolment, atOnce: Self.erasuresAtOnce) {
            for row in try await clerk.query(Statements.erasures["find_erased_enrolments"], [refs]) {
                guard let enrolment = try await findEnrolment(row.id("enrolment_id")) else { continue }
                try await erase(enrolment, audit: audit("enrolment"), now: now)
                enrolments += 1
            }
        }
        return (accounts, enrolments)
    }
}

extension [Erasure] {
    fileprivate func refs(of kind: Erasure.Kind, atOnce size: Int) -> [Parameter] {
        let refs = filter { $0.kind == kind }.map(\.ref)
        return stride(from: 0, to: refs.count, by: size).map { start in
            .texts(refs[start..<Swift.min(start + size, refs.count)].map { $0 })
        }
    }
}
