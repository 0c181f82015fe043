import SaunterCore
import SaunterStore

/// How one caller sees the arms of a study. Every route of the study team prints arms by it.
package enum ArmView: Sendable {
    /// The codes of the study pack.
    case codes
    /// Letters, because the study is blinded and the caller may not see arms.
    case letters(ArmNames)

    /// Whether the caller sees letters.
    package var isBlinded: Bool { names != nil }

    private var names: ArmNames? {
        if case .letters(let names) = self { names } else { nil }
    }

    /// The name of an arm. An arm that no version of the study has is a question mark for callers who are blinded.
    func name(_ code: String) -> String {
        guard let names else { return code }
        return names[code] ?? "?"
    }

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

    /// The enrolment of the participant in the path.
    /// - Throws: `not-found` if the study has no such participant, or only an excluded one.
    func fetchParticipant(_ call: Call<Identity>) async throws -> Enrolment {
        guard
            let enrolment = try await store.findEnrolment(
                of: call.text("participant"), in: call.text("study")),
            enrolment.state != .excluded
        else { throw Problem(.notFound) }
        return enrolment
    }

    /// The codes of the arms of a study that is blinded and whose arms were not shown to the whole team; otherwise nil.
    func blindedArms(of study: String) async throws -> [String]? {
        guard let arms = try await catalogue.findArms(of: study), arms.isBlinded,
            try await !store.isUnblinded(study)
        else { return nil }
        return arms.codes
    }
}
