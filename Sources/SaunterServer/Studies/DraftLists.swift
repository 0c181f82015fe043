import HTTPTypes
import SaunterCore
import SaunterPacks
import SaunterStore

/// What the routes for journeys, practices and versions of a draft have in common.
extension ServerContext {
    /// Stores changed files of a draft. Files that did not change make no new revision.
    /// - Throws: `precondition-required`, `precondition-failed`, `draft-invalid`.
    func saveIfChanged(
        _ files: PackFiles, as draft: StudyDraft, _ call: Call<Identity>
    ) async throws -> StudyDraft {
        files.files == draft.files ? draft : try await save(files, as: draft, call)
    }

    /// Changes the files of the draft in the path, if the caller knows its newest revision. The change runs outside of
    /// the threads that serve requests.
    /// - Throws: `precondition-required`, `precondition-failed`, `draft-invalid`, and errors of `change`.
    func changeDraft(
        _ call: Call<Identity>, _ change: @Sendable (StudyDraft) throws -> PackFiles
    ) async throws -> StudyDraft {
        let draft = try await fetchDraft(call)
        try call.requireMatch(draft.tag)
        let files = try await work.run { try change(draft) }
        return try await saveIfChanged(files, as: draft, call)
    }

    /// The published files from which a draft began; nil for a new study.
    func base(of draft: StudyDraft) async throws -> PackFiles? {
        guard let version = draft.basedOn else { return nil }
        return try await findPack(of: draft.study, version: version)
    }
}

extension Problem {
    /// The problem for files of a draft that cannot be read or changed.
    static func reading<Value>(_ read: () throws(PackFaults) -> Value) throws(Problem) -> Value {
        do throws(PackFaults) {
            return try read()
        } catch {
            throw Problem(draft: error.list)
        }
    }
}

/// Collects the faults of a body.
struct BodyFaults {
    private(set) var list: [Fault]

    /// - Parameter schema: the faults that the schema of the body found.
    init(schema: [Fault]) { list = schema }

    mutating func add(_ pointer: String, _ code: String, _ detail: String) {
        // The schema reports a value of another type at the same place.
        guard !list.contains(where: { $0.pointer == pointer }) else { return }
        list.append(Fault(pointer: pointer, code: code, detail: detail))
    }

    /// Reads texts by language, without empty ones.
    /// - Parameter known: the languages that are permitted.
    mutating func texts(_ json: JSON?, at pointer: String, known: Set<String>) -> [String: String] {
        var texts: [String: String] = [:]
        for member in json?.object ?? [:] {
            guard known.contains(member.name) else {
                let all = known.sorted().joined(separator: ", ")
                add(
                    "\(pointer)/\(Fault.escape(member.name))", "unknown_language",
                    "The study does not have this language. It has: \(all).")
                continue
            }
            guard let text = member.value.string?.replacing("\r\n", with: "\n"),
                !text.allSatisfy(\.isWhitespace)
            else { continue }
            texts[member.name] = text
        }
        return texts
    }

    /// - Throws: `body-invalid` with all faults.
    func check() throws(Problem) {
        guard list.isEmpty else { throw Problem(.bodyInvalid, Faults(list)) }
    }
}

extension JSON {
    /// Language -> text, sorted by language.
    static func texts(_ texts: [String: String]) -> JSON {
        .object(
            JSONObject(texts.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) })
        )
    }
}

extension Schema {
    /// Texts by language.
    static func texts(maxLength: Int) -> Schema { .map(of: .string(maxLength: maxLength)) }
}
