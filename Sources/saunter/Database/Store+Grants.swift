import ArgumentParser
import SaunterCore
import SaunterStore

extension Role: ExpressibleByArgument {}

extension Grant {
    /// A role and its study as they were typed; an admin's study is all of them unless one is named.
    init(_ role: Role, study: String?, fullExport: Bool = false) throws {
        guard let study = study ?? (role == .admin ? "*" : nil) else {
            throw ValidationError("a \(role.rawValue) needs a --study")
        }
        guard study != "*" || role == .admin else {
            throw ValidationError("only an admin has a role in all studies")
        }
        self.init(role: role, study: study, fullExport: fullExport)
    }

    /// The line of the audit for giving or taking it.
    func audit(_ action: String, _ account: AccountID) -> AuditEntry {
        AuditEntry(
            actor: .system, action: action, study: study == "*" ? nil : study,
            detail: [
                "account_id": .string(account.description), "role": .string(role.rawValue),
                "study": .string(study),
                "full_export": .bool(fullExport),
            ])
    }
}

extension Store {
    /// The account of an address.
    /// - Throws: `CommandFault` when there is none.
    func demandAccount(_ email: String) async throws -> Account {
        guard let account = try await findAccount(email: email) else {
            throw CommandFault("there is no account with this address")
        }
        return account
    }

    /// A role in a study that nobody published is most likely a typing error.
    func demandStudy(of grant: Grant) async throws {
        guard grant.study != "*", try await findStudy(grant.study) == nil else { return }
        let studies = try await listStudies().map(\.study)
        let hint =
            studies.isEmpty
            ? "none is published; use saunter publish" : "there are \(studies.joined(separator: ", "))"
        throw CommandFault("there is no study \(grant.study): \(hint)")
    }

    /// Gives the role, and notes it in the audit.
    func give(_ grant: Grant, to account: AccountID) async throws {
        let now = Instant.current()
        try await upsert(grant, for: account, now: now)
        try await record(grant.audit("role_granted", account), at: now)
    }
}
