/// The participant's zone changes to this zone at this instant.
package struct ZoneChange: Sendable, Hashable {
    /// The first instant in the zone.
    package var from: Instant
    /// The zone from this instant on.
    package var zone: Zone

    /// Creates a change of zone.
    package init(from: Instant, zone: Zone) {
        self.from = from
        self.zone = zone
    }
}

/// The zones of one participant: the zone at enrolment and all later changes, in order.
struct ZoneHistory {
    let initial: Zone
    let changes: [ZoneChange]

    init(_ entries: [ZoneChange], enrolledAt: Instant, fallback: Zone) {
        let sorted = entries.sorted { $0.from < $1.from }
        initial = (sorted.last { $0.from <= enrolledAt } ?? sorted.first)?.zone ?? fallback
        var zone = initial
        changes = sorted.filter { entry in
            guard entry.from > enrolledAt, entry.zone != zone else { return false }
            zone = entry.zone
            return true
        }
    }

    init(_ zone: Zone) {
        initial = zone
        changes = []
    }

    var current: Zone { changes.last?.zone ?? initial }

    func zone(at instant: Instant) -> Zone {
        changes.last { $0.from <= instant }?.zone ?? initial
    }
}

extension [ZoneChange] {
    /// The participant's zone at an instant.
    /// - Parameter fallback: the zone if the list is empty.
    package func zone(at instant: Instant, enrolledAt: Instant, fallback: Zone) -> Zone {
        ZoneHistory(self, enrolledAt: enrolledAt, fallback: fallback).zone(at: instant)
    }
}
