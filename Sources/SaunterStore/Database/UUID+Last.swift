import Foundation

extension UUID {
    /// Sorts after every other: where a descending list begins.
    static let last = UUID(
        uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))
}
