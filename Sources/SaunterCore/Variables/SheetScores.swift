extension [VariableFacts.Sheet] {
    /// Sets the scores of each sheet whose answers are known, by the scoring key of its questionnaire.
    /// - Parameters:
    ///   - indices: by code of the questionnaire. Sheets of other questionnaires keep their scores.
    ///   - sources: the items that supply covariates. The newest revisions of the sheets supply them.
    ///   - arm: the participant's arm.
    package mutating func setScores(
        by indices: [String: QuestionnaireIndex], covariates sources: [CovariateSource], arm: String
    ) {
        let newest = Dictionary(map { ($0.id, $0.revision) }, uniquingKeysWith: Swift.max)
        let known = KnownCovariates(
            sources, arm: arm,
            sheets: compactMap { sheet in
                guard case .sheet(let answers)? = sheet.answers, let index = indices[sheet.questionnaire],
                    sheet.revision == newest[sheet.id], sheet.duplicateOf == nil, sheet.deletedAt == nil
                else { return nil }
                return CovariateSourceSheet(
                    questionnaire: index.questionnaire, sheet: answers, completedAt: sheet.completedAt,
                    id: sheet.id)
            })
        for position in self.indices {
            let sheet = self[position]
            guard case .sheet(let answers)? = sheet.answers, let index = indices[sheet.questionnaire],
                let key = index.questionnaire.scoring
            else { continue }
            let day = LocalDate(of: sheet.completedAt, offsetMinutes: sheet.offsetMinutes)
            let covariates = known.values(for: key.givenCovariates, at: sheet.completedAt, on: day)
            for score in index.scores(for: answers, covariates: covariates) {
                self[position].scores[score.scale] = score.value
            }
        }
    }
}
