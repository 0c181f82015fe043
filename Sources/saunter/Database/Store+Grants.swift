import ArgumentParser
import Console
import SaunterCore
import SaunterStore

extension Role: ExpressibleByArgument {}

extension Grant {
    /// Creates a grant from command line arguments. An admin without `study` gets all studies.
    /// - Throws: `ValidationError` if another role has no study, or all studies, or if a role that reads no answers
    ///   would see arms.
    init(_ role: Role, study: String?, fullExport: Bool = false, seesArms: Bool = false) throws {
        guard let study = study ?? (role == .admin ? "*" : nil) else {
            throw ValidationError("a \(role.rawValue) needs a --study")
        }
        guard study != "*" || role == .admin else {
            throw ValidationError("only an admin can have a role in all studies")
        }
        guard !seesArms || role.readsAnswers else {
            throw ValidationError("--sees-arms is for a researcher or a coordinator")
        }
        self.init(role: role, study: study, fullExport: fullExport, seesArms: seesArms)
    }
}

extension Store {
    /// Fetches the account with a mail address.
    /// - Throws: `CommandFault` if there is none.
    func fetchAccount(_ email: String) async throws -> Account {
        guard let account = try await findAccount(email: email) else {
            throw CommandFault("there is no account with this address")
        }
        return account
    }

    /// Checks that the study of a grant is published or has a draft, because an unknown code is probably a typing
    /// error.
    /// - Throws: `CommandFault` with the codes of the published studies.
    func checkStudyExists(of grant: Grant) async throws {
        guard grant.study != "*", try await findStudy(grant.study) == nil,
            try await findDraftRevision(of: grant.study) == nil
        else { return }
        let studies = try await listStudies().map(\.study)
        let hint =
            studies.isEmpty
            ? "no study is published; use saunter publish" : "there are \(studies.joined(separator: ", "))"
        throw CommandFault("there is no study \(grant.study): \(hint)")
    }
}
