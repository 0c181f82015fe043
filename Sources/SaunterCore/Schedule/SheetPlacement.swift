/// A stored sheet that names a walk and has no occasion, since nothing followed that walk yet when it came.
package struct UnplacedSheet: Sendable, Hashable {
    package var id: SheetID
    package var questionnaire: String
    package var walk: WalkID
    /// By the corrected clock.
    package var completedAt: Instant

    package init(id: SheetID, questionnaire: String, walk: WalkID, completedAt: Instant) {
        self.id = id
        self.questionnaire = questionnaire
        self.walk = walk
        self.completedAt = completedAt
    }
}

/// How a sheet that came before its walk is judged once the walk is there.
package struct SheetPlacement: Sendable, Hashable {
    package var sheet: SheetID
    package var occasion: OccasionID
    package var completedAt: Instant
    /// On time or late: the window holds the completion.
    package var standing: Standing
    package var lateS: Int64?
    /// The sheet that had settled the occasion before; nil where this one settles it.
    package var duplicateOf: SheetID?
}

extension Sequence<Occasion> {
    /// The occasions of their walks for sheets that came too early, as if each had come only now, in this order: `choice` says which, and the first
    /// sheet settles it. One whose walk has no occasion for it is left out; it takes none that follows something else, for those it could have had.
    package func placements(of sheets: [UnplacedSheet]) -> [SheetPlacement] {
        var following = Dictionary(grouping: self, by: \.key.anchorInstance)
        var placements: [SheetPlacement] = []
        for sheet in sheets {
            let walk = sheet.walk.description
            guard var own = following[walk],
                let chosen = own.choice(
                    for: sheet.questionnaire, completedAt: sheet.completedAt, after: sheet.walk, schedules: []
                )
            else { continue }
            placements.append(
                SheetPlacement(
                    sheet: sheet.id, occasion: chosen.id, completedAt: sheet.completedAt,
                    // What is chosen is open then, so that no policy for later ones matters.
                    standing: chosen.window.standing(of: sheet.completedAt, latePolicy: .flag),
                    lateS: chosen.window.lateness(of: sheet.completedAt), duplicateOf: chosen.sheetID))
            if chosen.sheetID == nil, let place = own.firstIndex(where: { $0.id == chosen.id }) {
                own[place].sheetID = sheet.id
                following[walk] = own
            }
        }
        return placements
    }
}
