import Foundation
import SaunterCore
import SaunterPacks
import SaunterStore
import Testing

@testable import SaunterServer

/// Packs of the repository as the files of a draft.
enum SamplePack {
    /// Path -> text of a study pack.
    /// - Parameter folder: a folder of packs, such as `Questionnaires`.
    static func files(_ folder: String, _ code: String) throws -> [String: String] {
        let root = URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        return try PackFiles.load(directory: "\(root)/\(folder)/studies/\(code)").files
    }

    /// The pack `pocket-diary` under another code.
    /// - Parameter title: the English title; nil for that of the pack.
    static func diary(_ code: String, titled title: String? = nil) throws -> [String: String] {
        var files: [String: String] = [:]
        for (path, text) in try Self.files("Tests/Acceptance/packs/pocket-diary", "pocket-diary") {
            files[path.replacing("studies/pocket-diary/", with: "studies/\(code)/")] =
                path.hasSuffix("study.yaml")
                ? text.replacing("code: pocket-diary", with: "code: \(code)") : text
        }
        guard let title else { return files }
        let texts = "studies/\(code)/content/text.en.yaml"
        files[texts] = try #require(files[texts]).replacing(/(?m)^title: .*$/, with: "title: \(title)")
        return files
    }
}

extension APICaller {
    /// A new member of a study team.
    func member(_ role: Role, of study: String, seesArms: Bool = false) async throws -> APICaller {
        var member = self
        member.token = try await server.makeLogin(Grant(role: role, study: study, seesArms: seesArms))
            .accessToken
        return member
    }

    /// The account of the caller.
    func account() async throws -> AccountID {
        let id = try await get("/v1/account").json["account_id"]?.string
        return try #require(id.flatMap { AccountID($0) })
    }
}
