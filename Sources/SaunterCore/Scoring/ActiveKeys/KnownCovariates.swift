/// An answer sheet that can supply values of covariates.
package struct CovariateSourceSheet: Sendable {
    /// The questionnaire version that was answered.
    package let questionnaire: Questionnaire
    /// The answers.
    package let sheet: AnswerSheet
    /// The completion time by the corrected clock.
    package let completedAt: Instant
    /// Orders sheets that were completed at the same instant.
    package let id: SheetID

    /// - Parameters: see the properties.
    package init(questionnaire: Questionnaire, sheet: AnswerSheet, completedAt: Instant, id: SheetID) {
        self.questionnaire = questionnaire
        self.sheet = sheet
        self.completedAt = completedAt
        self.id = id
    }
}

/// An arm in which a participant was before another arm replaced it.
package struct FormerArm: Sendable, Hashable {
    /// The code of the arm.
    package let arm: String
    /// When the participant left the arm.
    package let until: Instant

    /// - Parameter until: when the participant left the arm.
    package init(arm: String, until: Instant) {
        self.arm = arm
        self.until = until
    }
}

/// The covariate values of one participant, from the answer sheets that count: the newest revision of each sheet that
/// is neither deleted nor a duplicate.
package struct KnownCovariates: Sendable {
    private let covariateSources: [CovariateSource]
    private let arm: String
    private let formerArms: [FormerArm]
    /// Newest first.
    private let sheets: [CovariateSourceSheet]

    /// - Parameters:
    ///   - covariateSources: the questionnaire items that supply covariates.
    ///   - arm: the participant's present arm.
    ///   - formerArms: in chronological order.
    ///   - sheets: the participant's sheets that count, in any order.
    package init(
        _ covariateSources: [CovariateSource], arm: String, formerArms: [FormerArm] = [],
        sheets: [CovariateSourceSheet]
    ) {
        self.covariateSources = covariateSources
        self.arm = arm
        self.formerArms = formerArms
        self.sheets = sheets.sorted { ($1.completedAt, $1.id) < ($0.completedAt, $0.id) }
    }

    /// A copy with one more sheet. It replaces a sheet with the same id.
    package func adding(_ sheet: CovariateSourceSheet) -> KnownCovariates {
        KnownCovariates(
            covariateSources, arm: arm, formerArms: formerArms,
            sheets: sheets.filter { $0.id != sheet.id } + [sheet])
    }

    /// The values for scoring one sheet. Each value comes from the newest sheet that answers the item and was
    /// completed at or before `moment`. A later sheet that leaves the item blank does not change the value. The value
    /// of `arm` is the arm at that instant, unless the study has a source for `arm`.
    /// - Parameters:
    ///   - covariates: the covariates that the key needs.
    ///   - moment: the completion time of the scored sheet, by the corrected clock.
    ///   - day: the local date of the scored sheet.
    package func values(
        for covariates: [Covariate], at moment: Instant, on day: LocalDate
    ) -> [String: CovariateValue] {
        var values: [String: CovariateValue] = [:]
        for covariate in covariates {
            if let source = covariateSources.first(where: { $0.id == covariate.id }) {
                values[covariate.id] = value(source, asCode: !covariate.codes.isEmpty, at: moment, on: day)
            } else if covariate.source == .enrolment, covariate.id == "arm" {
                values[covariate.id] = .code(formerArms.first { moment < $0.until }?.arm ?? arm)
            }
        }
        return values
    }

    private func value(
        _ source: CovariateSource, asCode: Bool, at moment: Instant, on day: LocalDate
    ) -> CovariateValue? {
        for sourceSheet in sheets
        where sourceSheet.questionnaire.code == source.questionnaire && sourceSheet.completedAt <= moment {
            guard let answer = sourceSheet.sheet.answer(to: source.item),
                let item = sourceSheet.questionnaire.questions.first(where: { $0.linkId == source.item }),
                let value = source.value(of: answer, to: item, on: day, asCode: asCode)
            else { continue }
            return value
        }
        return nil
    }
}

extension [String: CovariateValue] {
    /// The values as they are stored with a score: canonical JSON, sorted by name.
    package var text: String {
        JSON.object(
            JSONObject(sorting: self) { value in
                switch value {
                case .number(let number): .double(number)
                case .code(let code): .string(code)
                }
            }
        ).text
    }
}
