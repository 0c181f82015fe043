/// A sheet that may tell a covariate.
package struct TellingSheet: Sendable {
    /// The version that was answered.
    package let questionnaire: Questionnaire
    package let sheet: AnswerSheet
    /// By the corrected clock.
    package let completedAt: Instant
    /// Tells sheets of one moment apart.
    package let id: SheetID

    package init(questionnaire: Questionnaire, sheet: AnswerSheet, completedAt: Instant, id: SheetID) {
        self.questionnaire = questionnaire
        self.sheet = sheet
        self.completedAt = completedAt
        self.id = id
    }
}

/// An arm that somebody was given another one for.
package struct FormerArm: Sendable, Hashable {
    package let arm: String
    /// When they left it.
    package let until: Instant

    package init(arm: String, until: Instant) {
        self.arm = arm
        self.until = until
    }
}

/// What is known of one person from the sheets that count.
package struct KnownCovariates: Sendable {
    private let origins: [CovariateOrigin]
    private let arm: String
    private let formerArms: [FormerArm]
    /// The newest first.
    private let sheets: [TellingSheet]

    /// - Parameters:
    ///   - formerArms: in the order of time.
    ///   - sheets: of this person, those that count, in any order.
    package init(
        _ origins: [CovariateOrigin], arm: String, formerArms: [FormerArm] = [], sheets: [TellingSheet]
    ) {
        self.origins = origins
        self.arm = arm
        self.formerArms = formerArms
        self.sheets = sheets.sorted { ($1.completedAt, $1.id) < ($0.completedAt, $0.id) }
    }

    /// The same with one more sheet.
    package func adding(_ sheet: TellingSheet) -> KnownCovariates {
        KnownCovariates(
            origins, arm: arm, formerArms: formerArms, sheets: sheets.filter { $0.id != sheet.id } + [sheet])
    }

    /// The values for a sheet: each from the newest sheet not after it that answers the item. A later sheet
    /// that leaves the item blank does not unsay it. `arm` is the one in which the person was at that moment, unless
    /// the study takes it from somewhere else.
    /// - Parameters:
    ///   - covariates: what the key asks for.
    ///   - moment: when the scored sheet was completed, by the corrected clock.
    ///   - day: its local date.
    package func values(
        for covariates: [Covariate], at moment: Instant, on day: LocalDate
    ) -> [String: CovariateValue] {
        var values: [String: CovariateValue] = [:]
        for covariate in covariates {
            if let origin = origins.first(where: { $0.id == covariate.id }) {
                values[covariate.id] = value(origin, wantsCode: !covariate.codes.isEmpty, at: moment, on: day)
            } else if covariate.source == .enrolment, covariate.id == "arm" {
                values[covariate.id] = .code(formerArms.first { moment < $0.until }?.arm ?? arm)
            }
        }
        return values
    }

    private func value(
        _ origin: CovariateOrigin, wantsCode: Bool, at moment: Instant, on day: LocalDate
    ) -> CovariateValue? {
        for telling in sheets
        where telling.questionnaire.code == origin.questionnaire && telling.completedAt <= moment {
            guard let answer = telling.sheet.answer(to: origin.item),
                let item = telling.questionnaire.questions.first(where: { $0.linkId == origin.item }),
                let value = origin.value(of: answer, to: item, on: day, wantsCode: wantsCode)
            else { continue }
            return value
        }
        return nil
    }
}

extension [String: CovariateValue] {
    /// The values as they stand beside a score: canonical JSON, by name.
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
