import SaunterCore

/// A version of the study that an enrolment follows, or has followed before.
package struct FollowedVersion: Sendable, Hashable {
    package var version: String
    /// Since when; of a version that it came back to, since it did so last.
    package var from: Instant
}

extension [FollowedVersion] {
    /// In the order in which it is likely that something of this moment was asked by them: the version that was followed then, those before it, and those
    /// after it. Of versions in the order in which they were followed.
    package func nearest(to moment: Instant) -> [FollowedVersion] {
        let before = prefix { $0.from <= moment }
        return Array(before.reversed()) + Array(dropFirst(before.count))
    }
}
