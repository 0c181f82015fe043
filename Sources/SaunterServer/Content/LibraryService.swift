import Foundation
import SaunterCore
import SaunterStore

/// Selects content for participants, and for visitors without an account.
struct LibraryService: Sendable {
    /// A collection of the live edition.
    struct Opened: Sendable {
        let collection: ContentCollection
        let edition: Int
    }

    /// An item with the edition from which it is shown.
    struct Shown: Sendable {
        let item: ContentItem
        let collection: ContentCollection
        let edition: Int
    }

    /// How many days ahead an app may ask for.
    static let maximumDays = 31

    let context: ServerContext

    /// A collection of the study's live edition.
    /// - Throws: `not-found`.
    func open(_ code: String, of study: Study) async throws -> Opened {
        guard let edition = try await context.content.findLive(study),
            let collection = edition.library.collection(code)
        else { throw Problem(.notFound) }
        return Opened(collection: collection, edition: edition.edition)
    }

    /// The items that a participant may get, in the order of the collection.
    /// - Parameter entitlements: as in `ContentCollection.candidates`.
    func candidates(
        in opened: Opened, for enrolment: Enrolment, _ study: PublishedStudy, entitlements: Set<String>?,
        at now: Instant
    ) async throws -> [ContentItem] {
        let collection = opened.collection
        guard let source = collection.condition else {
            return collection.candidates(arm: enrolment.arm, entitlements: entitlements)
        }
        let condition: ContentCondition
        do throws(ExpressionFault) {
            condition = try ContentCondition(source, over: collection)
        } catch {
            // The check of the edition reports syntax faults.
            throw Problem(.internalError)
        }
        let facts = try await context.variableFacts.facts(
            of: enrolment, study.variables.needs(for: condition.variables), study: study)
        return collection.candidates(
            arm: enrolment.arm, entitlements: entitlements, conditions: [condition],
            in: study.variables.scope(from: facts, at: now))
    }

    // MARK: - Daily items of a participant

    /// The items of the next local dates, from today on. An item that is selected stays on its date, on every device,
    /// until it is withdrawn or locked.
    /// - Returns: date by date; empty if the participant may get no item, or has left the study.
    func days(
        _ count: Int, in opened: Opened, for enrolment: Enrolment, _ study: PublishedStudy,
        entitlements: Set<String>, at now: Instant
    ) async throws -> [(date: LocalDate, shown: Shown)] {
        let today = enrolment.zone.local(of: now).date
        let dates = (0..<count).map { today.adding(days: $0) }
        let stored = try await context.store.listDailyItems(
            opened.collection.code, of: enrolment.id, today: today)
        let unlocked = opened.collection.items.filter { !$0.isLocked(for: entitlements) }
        let items = Dictionary(unlocked.map { ($0.id, $0) }) { first, _ in first }
        var selected = stored.filter { items[$0.value.item] != nil }
        if enrolment.state == .active, dates.contains(where: { selected[$0] == nil }) {
            let candidates = try await candidates(
                in: opened, for: enrolment, study, entitlements: entitlements, at: now)
            let selector = selector(of: opened, study)
            selected = try await context.store.selectDailyItems(
                opened.collection.code, of: enrolment.id, today: today, edition: opened.edition, now: now
            ) { history in
                selector.days(
                    dates, among: candidates, for: enrolment.id, shown: history.shownAt,
                    selected: history.daily.mapValues(\.item).filter { items[$0.value] != nil })
            }
        }
        return dates.compactMap { date in
            selected[date].flatMap { items[$0.item] }.map {
                (date, Shown(item: $0, collection: opened.collection, edition: opened.edition))
            }
        }
    }

    // MARK: - Draws of a participant

    /// The item of a draw. The same draw returns the same item, also if it is locked by now. A new draw returns no
    /// locked item.
    /// - Throws: `not-found` if there is no item for the participant.
    func draw(
        _ id: UUID, in opened: Opened, for enrolment: Enrolment, _ study: PublishedStudy,
        entitlements: Set<String>, at now: Instant
    ) async throws -> (shown: Shown, isNew: Bool) {
        let candidates = try await candidates(
            in: opened, for: enrolment, study, entitlements: entitlements, at: now)
        let selector = selector(of: opened, study)
        let drawn = try await context.store.drawItem(
            opened.collection.code, of: enrolment.id, draw: id,
            today: enrolment.zone.local(of: now).date, edition: opened.edition, now: now
        ) { history in
            selector.next(
                among: candidates, for: enrolment.id, shown: history.shownAt,
                coming: Set(history.daily.values.map(\.item)))?.id
        }
        guard let drawn, let shown = try await shown(drawn.item, in: opened, of: study.study) else {
            throw Problem(.notFound, "The collection has no item for this participant.")
        }
        return (shown, drawn.isNew)
    }

    /// The item as its edition has it: an item that was withdrawn after it was drawn stays readable.
    private func shown(
        _ selected: SelectedItem, in opened: Opened, of study: Study
    ) async throws -> Shown? {
        if let item = opened.collection.item(selected.item) {
            return Shown(item: item, collection: opened.collection, edition: opened.edition)
        }
        guard let edition = try await context.content.find(selected.edition, of: study),
            let collection = edition.library.collection(opened.collection.code),
            let item = collection.item(selected.item)
        else { return nil }
        return Shown(item: item, collection: collection, edition: selected.edition)
    }

    /// The variant of media that the participant's settings put first; nil for the first of the pack.
    func variant(
        of collection: ContentCollection, for enrolment: Enrolment, _ study: PublishedStudy
    ) async throws -> String? {
        guard let setting = collection.variantSetting else { return nil }
        return try await context.settings.value(of: setting, enrolment, study)?.string
    }

    private func selector(of opened: Opened, _ study: PublishedStudy) -> ContentSelector {
        ContentSelector(
            secret: context.store.secrets.studySeed(study.study.code), collection: opened.collection.code)
    }

    // MARK: - Media

    /// Whether a media file belongs to an item that is locked for the participant. The newest edition that has the file
    /// decides. Without a query for studies without entitlements.
    func isLocked(
        media digest: String, for enrolment: Enrolment, _ study: PublishedStudy, at now: Instant
    ) async throws -> Bool {
        guard let live = try await context.content.findLive(study.study),
            !study.study.entitlements.isEmpty || live.library.hasLocks
        else { return false }
        let entitlements = try await context.entitlements(of: enrolment, at: now)
        for number in stride(from: live.edition, through: 1, by: -1) {
            let edition =
                number == live.edition ? live : try await context.content.find(number, of: study.study)
            if let isOpen = edition?.library.isOpen(media: digest, for: entitlements) { return !isOpen }
        }
        return false
    }

    // MARK: - The same item for all

    /// The item of today in the study's zone, which is the same for everyone.
    func today(
        in opened: Opened, of study: Study, at now: Instant
    ) -> (date: LocalDate, shown: Shown, validUntil: Instant)? {
        let date = study.zone.local(of: now).date
        let selector = ContentSelector(
            secret: context.store.secrets.studySeed(study.code), collection: opened.collection.code)
        guard let item = ContentSelector.item(on: date, of: selector.order(of: opened.collection.items))
        else { return nil }
        return (
            date, Shown(item: item, collection: opened.collection, edition: opened.edition),
            study.zone.startOfDay(date.adding(days: 1))
        )
    }
}
