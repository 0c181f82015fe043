// swift-tools-version: 6.2
import PackageDescription

/// The same flags as in the package of the server.
let flags: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// A separate package, so that the server does not depend on swift-syntax, which takes minutes to build.
let package = Package(
    name: "mutation",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "mutate", targets: ["mutate"])],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax.git", from: "603.0.1"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    ],
    targets: [
        .target(
            name: "Mutations",
            dependencies: [
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ],
            swiftSettings: flags),
        .executableTarget(
            name: "mutate",
            dependencies: ["Mutations", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: flags),
        .testTarget(name: "MutationsTests", dependencies: ["Mutations"], swiftSettings: flags),
    ]
)
