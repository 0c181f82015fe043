import Foundation

extension UUID {
    /// Sorts after every other: where a descending list begins.
    static let last = UUID(
        uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))

    /// Sorts before every other: where an ascending list begins.
    static let first = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
