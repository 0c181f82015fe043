import SaunterCore
import SaunterStore

/// How one caller sees the arms of a study. Every route of the study team prints arms by it.
package enum ArmView: Sendable {
    /// The codes of the study pack.
    case codes
    /// Letters, because the study is blinded and the caller may not see arms.
    case letters(ArmNames)

    /// What `arm` is in schemas.
    static let description = "The code of the arm, or its letter if the arms are hidden from the caller."

    /// Whether the caller sees letters.
    package var isBlinded: Bool { names != nil }

    private var names: ArmNames? {
        if case .letters(let names) = self { names } else { nil }
    }

    /// The codes of all versions of the study if they are hidden from the caller; otherwise nil.
    var hiddenCodes: [String]? { names?.namesByCode.keys.sorted() }

    /// The name of an arm. An arm that no version of the study has is a question mark for callers who are blinded.
    func name(_ code: String) -> String {
        guard let names else { return code }
        return names[code] ?? "?"
    }

    /// The code of the arm with a name. Nil for a name that no arm has.
    func code(_ name: String) -> String? {
        guard let names else { return name }
        return names.namesByCode.first { $0.value == name }?.key
    }

    /// The names of a study's arms. Letters are sorted, so that they do not follow the order of the study.
    func names(of study: Study) -> [String] {
        let found = study.arms.map { name($0.code) }
        return isBlinded ? found.sorted() : found
    }

    /// Codes of arms in the order of the names that the caller sees, so that the order shows no code.
    func sorted(_ codes: [String]) -> [String] {
        guard let names else { return codes.sorted() }
        // A to Z, then AA, AB, ….
        return codes.filter { names[$0] != nil }.sorted {
            (name($0).count, name($0)) < (name($1).count, name($1))
        }
    }

    /// Whether the caller sees numbers by arm. If arms have different ratios, the numbers show which arm a letter
    /// means.
    func showsNumbers(of study: Study) -> Bool { !isBlinded || !study.hasUnequalRatios }

    /// The name of an arm as JSON.
    func json(_ code: String) -> JSON { .string(name(code)) }

    /// A text that a member of the study team wrote about an arm. Null for callers who are blinded.
    func reason(_ text: String) -> JSON { isBlinded ? .null : .string(text) }

    /// The balance of a study's arms under their names.
    func balance(
        _ study: Study, _ counts: [AllocationCount], moves: [AllocationBalance.Move]
    ) -> AllocationBalance {
        guard let names else { return AllocationBalance(study, counts, moves: moves) }
        return AllocationBalance(
            study.blinded(by: names), counts.compactMap { $0.blinded(by: names) },
            moves: moves.compactMap { $0.blinded(by: names) }.sorted { ($0.from, $0.to) < ($1.from, $1.to) })
    }

    /// Requires that the caller sees codes.
    /// - Throws: `arms-blinded`.
    func requireCodes() throws(Problem) {
        guard !isBlinded else { throw Problem(.armsBlinded) }
    }
}

extension ServerContext {
    /// How the caller sees the arms of a study: as letters if the study is blinded, its arms were not shown to the
    /// whole team, and no grant of the caller shows arms.
    package func armView(of study: String, for caller: Identity) async throws -> ArmView {
        guard !caller.seesArms(in: study) else { return .codes }
        return try await blindedArms(of: study)
            .map { .letters(ArmNames(blinding: $0, of: study, secret: store.secrets.releaseSecret(study))) }
            ?? .codes
    }

    /// The secret that orders the letters of the arms of a study; nil if the caller sees codes.
    package func blindingSecret(of study: String, for caller: Identity) async throws -> [UInt8]? {
        try await armView(of: study, for: caller).isBlinded ? store.secrets.releaseSecret(study) : nil
    }

    /// The codes of the arms of a study that is blinded and whose arms were not shown to the whole team; otherwise nil.
    func blindedArms(of study: String) async throws -> [String]? {
        guard let arms = try await catalogue.findArms(of: study), try await areBlinded(arms, of: study)
        else { return nil }
        return arms.codes
    }

    /// Whether arms are hidden from members of the team who may not see them.
    func areBlinded(_ arms: StudyArms, of study: String) async throws -> Bool {
        guard arms.isBlinded else { return false }
        return try await !store.isUnblinded(study)
    }
}
