/// The newest revision of a stored sheet that is not a duplicate, with what decides whether it is an active entry.
package struct EntryRecord: Sendable, Hashable {
    /// The id of the sheet.
    package var id: SheetID
    /// The code of the questionnaire.
    package var questionnaire: String
    /// The completion by the corrected clock.
    package var completedAt: Instant
    /// The earlier entry to which the sheet refers; nil for none.
    package var refersTo: SheetID?
    /// When the participant deleted the sheet; nil for a current sheet.
    package var deletedAt: Instant?

    /// Creates a record; by default one without a link that is not deleted.
    package init(
        id: SheetID, questionnaire: String, completedAt: Instant, refersTo: SheetID? = nil,
        deletedAt: Instant? = nil
    ) {
        self.id = id
        self.questionnaire = questionnaire
        self.completedAt = completedAt
        self.refersTo = refersTo
        self.deletedAt = deletedAt
    }

    /// Completion, then id. The order does not depend on the order of receipt.
    fileprivate static func comesBefore(_ left: EntryRecord, _ right: EntryRecord) -> Bool {
        (left.completedAt, left.id) < (right.completedAt, right.id)
    }
}

/// The period in which an entry was the active one of its questionnaire.
package struct EntryEpisode: Sendable, Hashable {
    /// Why a period ended. The raw values are those of the dataset.
    package enum End: String, Sendable, Hashable, CaseIterable {
        /// The entry is still active.
        case open
        /// A later entry of the questionnaire replaced it.
        case replaced
        /// An entry of the questionnaire in `ends_with` ended it.
        case ended
        /// The participant deleted it.
        case deleted
    }

    /// The entry that was active.
    package var entry: SheetID
    /// The code of the entry's questionnaire.
    package var questionnaire: String
    /// The completion of the entry.
    package var began: Instant
    /// Never before `began`. Nil while the entry is active.
    package var ended: Instant?
    /// Why the entry ended; `open` while it is active.
    package var why: End
    /// The sheet that replaced or ended the entry; nil if none did.
    package var endedBy: SheetID?

    /// Creates a period; by default one that is still active.
    package init(
        entry: SheetID, questionnaire: String, began: Instant, ended: Instant? = nil, why: End = .open,
        endedBy: SheetID? = nil
    ) {
        self.entry = entry
        self.questionnaire = questionnaire
        self.began = began
        self.ended = ended
        self.why = why
        self.endedBy = endedBy
    }
}

/// The active entries of one participant, and all earlier periods of activity.
///
/// An entry is active if it is current, no later current entry of its questionnaire exists, and no current end refers
/// to it. "Later" compares the corrected completion, then the id, so that two devices which are offline agree. A
/// deleted sheet neither replaces nor ends an entry.
package struct ActiveEntries: Sendable, Hashable {
    /// The periods of all questionnaires with `active: one`, ordered by beginning, then id.
    package let episodes: [EntryEpisode]

    /// - Parameters:
    ///   - rules: the rules of `any_time`. Rules without `active: one` are ignored.
    ///   - entries: the participant's entries, in any order, each id once.
    ///   - now: entries that were completed later are ignored.
    package init(_ rules: [AnyTimeRule], _ entries: [EntryRecord], at now: Instant = .maximum) {
        let sorted = entries.filter { $0.completedAt <= now }.sorted(by: EntryRecord.comesBefore)
        episodes = rules.filter(\.isActiveOne).flatMap { Self.episodes(of: $0, in: sorted) }
            .sorted { ($0.began, $0.entry) < ($1.began, $1.entry) }
    }

    /// The entries that are active.
    package var active: Set<SheetID> { Set(episodes.filter { $0.why == .open }.map(\.entry)) }

    /// The active entry of a questionnaire; nil if none is active.
    package func active(_ questionnaire: String) -> SheetID? {
        episodes.last { $0.questionnaire == questionnaire && $0.why == .open }?.entry
    }

    private static func episodes(of rule: AnyTimeRule, in sorted: [EntryRecord]) -> [EntryEpisode] {
        let own = sorted.filter { $0.questionnaire == rule.questionnaire }
        var ends: [SheetID: EntryRecord] = [:]
        for end in sorted where end.questionnaire == rule.endsWith && end.deletedAt == nil {
            if let entry = end.refersTo, ends[entry] == nil { ends[entry] = end }
        }
        var episodes: [EntryEpisode] = []
        var successor: EntryRecord?
        for entry in own.reversed() {
            var episode = EntryEpisode(
                entry: entry.id, questionnaire: entry.questionnaire, began: entry.completedAt)
            if let deletedAt = entry.deletedAt {
                episode.ended = max(deletedAt, episode.began)
                episode.why = .deleted
            } else {
                episode.close(replacedBy: successor, endedBy: ends[entry.id])
                successor = entry
            }
            episodes.append(episode)
        }
        return episodes
    }
}

extension EntryEpisode {
    /// Ends the period with the earlier of both sheets. If both were completed at the same instant, the end counts.
    fileprivate mutating func close(replacedBy successor: EntryRecord?, endedBy end: EntryRecord?) {
        if let end, successor.map({ end.completedAt <= $0.completedAt }) ?? true {
            ended = max(end.completedAt, began)
            why = .ended
            endedBy = end.id
        } else if let successor {
            ended = successor.completedAt
            why = .replaced
            endedBy = successor.id
        }
    }
}
