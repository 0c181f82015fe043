import SaunterCore
import SaunterStore

/// The variables of one version of a study that a dataset contains.
struct IncludedVariables: Sendable {
    let published: PublishedStudy
    /// The ids of the included variables, in the order of the study.
    let ids: [String]

    /// - Parameter instruments: the codes of the instruments in the dataset. Variables that need another one are left
    ///   out.
    init(_ version: StudyDefinitions.Version, instruments: Set<String>, _ profile: DatasetProfile) {
        let published = PublishedStudy(study: version.study, digest: version.digest)
        self.published = published
        ids = version.study.variables.map(\.id).filter { id in
            let needs = published.variables.needs(for: [id])
            guard needs.questionnaires.isSubset(of: instruments) else { return false }
            guard let variable = version.study.variables.first(where: { $0.id == id }) else { return false }
            return Self.includes(variable, published, needs, profile)
        }
    }

    /// What the computed facts must contain.
    var needs: VariablePlan.Needs { published.variables.needs(for: ids) }

    /// Only `locations` contains coordinates, and a release contains no free text.
    private static func includes(
        _ variable: TailoringVariable, _ published: PublishedStudy, _ needs: VariablePlan.Needs,
        _ profile: DatasetProfile
    ) -> Bool {
        guard profile != .public, let shape = published.variables.shape(of: variable.id),
            shape.key != .location
        else { return false }
        if profile == .deidentified, shape.isFreeText { return false }
        if case .expression = variable.kind { return !usesLocations(needs, published.study) }
        return true
    }

    private static func usesLocations(_ needs: VariablePlan.Needs, _ study: Study) -> Bool {
        needs.answers.contains { code, linkIds in
            study.questionnaire(code)?.questions.contains {
                $0.type.form == .location && linkIds.contains($0.linkId)
            } ?? false
        }
    }
}

extension StudyDefinitions {
    /// Whether the values of some variable contain words that participants wrote.
    var hasVariablesOfFreeText: Bool {
        versions.contains { version in
            let plan = VariablePlan(version.study)
            return version.study.variables.contains { plan.shape(of: $0.id)?.isFreeText ?? false }
        }
    }
}
