/// A stored sheet that names a walk but has no occasion, because the walk had not been uploaded when the sheet was
/// uploaded.
package struct UnplacedSheet: Sendable, Hashable {
    /// The id of the sheet.
    package var id: SheetID
    /// The code of the questionnaire.
    package var questionnaire: String
    /// The walk that the sheet names.
    package var walk: WalkID
    /// Corrected for clock skew.
    package var completedAt: Instant

    /// Creates the description of a stored sheet.
    package init(id: SheetID, questionnaire: String, walk: WalkID, completedAt: Instant) {
        self.id = id
        self.questionnaire = questionnaire
        self.walk = walk
        self.completedAt = completedAt
    }
}

/// The occasion and timeliness of a sheet that was uploaded before its walk. Computed when the walk is uploaded.
package struct SheetPlacement: Sendable, Hashable {
    /// The id of the sheet.
    package var sheet: SheetID
    /// The id of the occasion that the sheet gets.
    package var occasion: OccasionID
    /// When the sheet was completed, corrected for clock skew.
    package var completedAt: Instant
    /// On time or late, because the window contains the completion time.
    package var timeliness: Timeliness
    /// Whole seconds after the due time. Nil if the sheet was on time.
    package var lateS: Int64?
    /// The sheet that fulfilled the occasion earlier. Nil if this sheet fulfils it.
    package var duplicateOf: SheetID?
}

extension Sequence<Occasion> {
    /// Finds the occasions of sheets that were uploaded before their walk. The sheets are processed in the given order,
    /// as if each were uploaded now: `matchingOccasion` selects the occasion, and the first sheet fulfils it.
    ///
    /// A sheet whose walk has no matching occasion is left out. It is not matched with occasions that do not follow its
    /// walk, because it was already compared with those when it was uploaded.
    package func placements(of sheets: [UnplacedSheet]) -> [SheetPlacement] {
        var following = Dictionary(grouping: self, by: \.key.anchorInstance)
        var placements: [SheetPlacement] = []
        for sheet in sheets {
            let walk = sheet.walk.description
            guard var own = following[walk],
                let chosen = own.matchingOccasion(
                    for: sheet.questionnaire, completedAt: sheet.completedAt, after: sheet.walk, schedules: []
                )
            else { continue }
            placements.append(
                SheetPlacement(
                    sheet: sheet.id, occasion: chosen.id, completedAt: sheet.completedAt,
                    // The window contains the completion time, so the late policy has no effect.
                    timeliness: chosen.window.timeliness(of: sheet.completedAt, latePolicy: .flag),
                    lateS: chosen.window.lateness(of: sheet.completedAt), duplicateOf: chosen.sheetID))
            if chosen.sheetID == nil, let index = own.firstIndex(where: { $0.id == chosen.id }) {
                own[index].sheetID = sheet.id
                following[walk] = own
            }
        }
        return placements
    }
}

extension Sequence<Occasion> {
    /// The occasion of a sheet that does not name one: the first occasion of the questionnaire whose window contains
    /// the completion time, that is not excluded and not answered. If all of these are answered, the first of them.
    ///
    /// A sheet that names a walk belongs to an occasion that follows this walk. If there is none, it belongs to an
    /// occasion that follows no walk. It never belongs to an occasion that follows another walk.
    ///
    /// - Parameters:
    ///   - walk: the walk that the sheet names. It may be unknown to the server.
    ///   - schedules: schedules of the study. If the schedule of an occasion is missing, the anchor instance decides
    ///     whether it follows a walk.
    package func matchingOccasion(
        for questionnaire: String, completedAt: Instant, after walk: WalkID?, schedules: [Schedule]
    ) -> Occasion? {
        let open = filter {
            $0.questionnaire == questionnaire && $0.exclusion == nil && $0.window.openAt <= completedAt
                && completedAt < $0.window.closeAt
        }
        guard let walk else { return open.firstUnanswered }
        return open.first { $0.key.anchorInstance == walk.description }
            ?? open.filter { occasion in
                let schedule = schedules.first { $0.id == occasion.key.schedule }
                return schedule.map { $0.anchor != .walk } ?? occasion.key.anchorInstance.isEmpty
            }.firstUnanswered
    }
}

extension [Occasion] {
    fileprivate var firstUnanswered: Occasion? { first { $0.sheetID == nil } ?? first }
}
