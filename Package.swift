// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Targets stand bottom-up: a target may depend only on those above it. `docs/ARCHITECTURE.md` draws
// the same edges, and `ManifestTests` holds this file against that drawing.

/// Every C library is a folder with a module map and a thin header; nothing is compiled for it.
let systemLibraries: [Target] = [
    .systemLibrary(name: "CRoostThreads"),  // No library: one call that Swift cannot import.
    .systemLibrary(
        name: "CRoostSQLite", pkgConfig: "sqlite3",
        providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .systemLibrary(
        name: "CRoostUV", pkgConfig: "libuv",
        providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    .systemLibrary(
        name: "CRoostWebSocket", providers: [.apt(["libwslay-dev"]), .brew(["wslay"])]),
    .systemLibrary(
        name: "CRoostTLS", pkgConfig: "openssl",
        providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(
        name: "CRoostZlib", pkgConfig: "zlib",
        providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
        name: "CRoostNcurses", providers: [.apt(["libncurses-dev"]), .brew(["ncurses"])]),
]

let apple: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS]

// The privacy manifest is for Apple's App Store. On any other system a resource would only add a
// bundle, and the code that finds it.
#if canImport(Darwin)
let hasPrivacyManifest = true
#else
let hasPrivacyManifest = false
#endif

/// The Swift modules and the edges between them.
let modules: [Target] = [
    .target(name: "RoostExecutors", dependencies: ["CRoostThreads"]),
    .target(name: "RoostSQLite", dependencies: ["CRoostSQLite", "RoostExecutors"]),
    .target(
        name: "RoostSealing",
        dependencies: [
            "RoostExecutors",
            .target(name: "CRoostTLS", condition: .when(platforms: [.linux])),
        ]),
    .target(
        name: "RoostSockets",
        dependencies: ["CRoostUV", "CRoostWebSocket", "CRoostTLS", "CRoostZlib", "RoostExecutors"]),
    // libpq is found at run time, so nothing here needs it to be installed.
    .target(name: "RoostPostgres", dependencies: ["RoostExecutors", "RoostSockets"]),
    // It judges servers, so it shares nothing with them above the sockets.
    .target(name: "RoostConformance", dependencies: ["RoostSockets"]),
    .target(name: "RoostModel"),
    .target(name: "RoostWire", dependencies: ["RoostModel"]),
    // Style and script of the pages are files of the repository, and part of the program.
    .target(
        name: "RoostPages",
        dependencies: ["RoostExecutors", "RoostModel", "RoostSockets", "RoostWire"],
        resources: [.embedInCode("Assets/page.css"), .embedInCode("Assets/page.js")]),
    .target(name: "RoostHistory", dependencies: ["RoostWire"]),
    .target(name: "RoostNATS", dependencies: ["RoostExecutors", "RoostSockets", "RoostWire"]),
    .target(name: "RoostCore", dependencies: ["RoostModel", "RoostWire"]),
    .target(
        name: "RoostStore",
        dependencies: [
            "RoostCore", "RoostExecutors", "RoostModel", "RoostSQLite", "RoostSealing",
        ]),
    .target(
        name: "RoostTransport",
        dependencies: [
            "RoostExecutors", "RoostModel",
            .target(name: "RoostSockets", condition: .when(platforms: [.linux])),
        ]),
    .target(name: "RoostURLSession", dependencies: ["RoostExecutors", "RoostTransport"]),
    .target(
        name: "Roost",
        dependencies: [
            "RoostCore", "RoostExecutors", "RoostModel", "RoostSealing", "RoostStore",
            "RoostTransport", "RoostWire",
            // Linux compiles it for its tests only.
            .target(name: "RoostURLSession", condition: .when(platforms: apple)),
        ],
        exclude: hasPrivacyManifest ? [] : ["PrivacyInfo.xcprivacy"],
        resources: hasPrivacyManifest ? [.copy("PrivacyInfo.xcprivacy")] : []),
    .target(
        name: "RoostFileCache",
        dependencies: ["Roost", "RoostModel", "RoostSealing", "RoostWire"]),
    .target(name: "RoostDoors", dependencies: ["Roost", "RoostExecutors", "RoostModel"]),
    .target(
        name: "SendbirdChatSDK",
        dependencies: ["Roost", "RoostDoors", "RoostExecutors", "RoostModel", "RoostWire"]),
    .target(
        name: "SendBirdSDK",
        dependencies: [
            "Roost", "RoostDoors", "RoostExecutors", "RoostFileCache", "RoostModel", "RoostWire",
        ]),
    .target(
        name: "SendBirdSyncManager",
        dependencies: ["Roost", "RoostDoors", "RoostExecutors", "RoostModel", "SendBirdSDK"]),
    .target(
        name: "RoostServer",
        dependencies: ["RoostExecutors", "RoostModel", "RoostSQLite", "RoostWire"]),
    .target(
        name: "RoostCluster",
        dependencies: [
            "RoostExecutors", "RoostModel", "RoostNATS", "RoostPostgres", "RoostSQLite",
            "RoostServer", "RoostSockets", "RoostWire",
        ]),
    .target(
        name: "RoostHost",
        dependencies: [
            "RoostCluster", "RoostExecutors", "RoostModel", "RoostNATS", "RoostPages",
            "RoostPostgres", "RoostServer", "RoostSockets", "RoostSQLite", "RoostWire",
        ]),
    // As any app does, it sees the public API only.
    .target(name: "RoostChat", dependencies: ["Roost"], packageAccess: false),
    .target(
        name: "RoostTerminal", dependencies: ["CRoostNcurses", "RoostChat"],
        linkerSettings: [
            .linkedLibrary("ncursesw", .when(platforms: [.linux])),
            // The system's own has the same calls.
            .linkedLibrary("ncurses", .when(platforms: [.macOS])),
        ]),
    .target(name: "RoostCommandLine", dependencies: ["RoostModel"]),
    .target(
        name: "RoostRequests", dependencies: ["RoostCommandLine", "RoostModel", "RoostWire"]),
    .executableTarget(
        name: "RoostCommand",
        dependencies: [
            "Roost", "RoostChat", "RoostCluster", "RoostCommandLine", "RoostConformance",
            "RoostCore", "RoostExecutors", "RoostHistory", "RoostHost", "RoostModel", "RoostPages",
            "RoostPostgres", "RoostRequests", "RoostServer", "RoostSockets", "RoostStore",
            "RoostTerminal", "RoostWire",
        ],
        // Equal functions are linked once: generics leave many, and the command has a limit of size.
        linkerSettings: [
            .unsafeFlags(
                ["-Xlinker", "--icf=safe"], .when(platforms: [.linux], configuration: .release))
        ]),
    .target(name: "RoostDiskSimulation", dependencies: ["CRoostSQLite", "RoostExecutors"]),
    .target(
        name: "RoostTestKit",
        dependencies: [
            "Roost", "RoostCore", "RoostDiskSimulation", "RoostExecutors", "RoostModel",
            "RoostServer", "RoostStore", "RoostTransport", "RoostWire",
        ]),
]

/// The programs for work on Roost itself; the product `roost` contains nothing of them.
let workshop: [Target] = [
    // The only C that is compiled here besides a count for tests: the program that the cache is measured against.
    .target(
        name: "CRoostBenchLimit", dependencies: ["CRoostSQLite"],
        path: "Benchmarks/CRoostBenchLimit"),
    .executableTarget(
        name: "RoostBench",
        dependencies: [
            "CRoostBenchLimit", "Roost", "RoostChat", "RoostCommandLine", "RoostCore", "RoostDoors",
            "RoostExecutors", "RoostFileCache", "RoostHost", "RoostModel", "RoostNATS",
            "RoostPages", "RoostSQLite", "RoostSockets", "RoostStore", "RoostTerminal",
            "RoostTransport", "RoostWire", "SendbirdChatSDK",
        ],
        path: "Benchmarks/RoostBench"),
    .executableTarget(
        name: "RoostSimulator",
        dependencies: [
            "Roost", "RoostCommandLine", "RoostCore", "RoostDiskSimulation", "RoostModel",
            "RoostServer", "RoostStore", "RoostTestKit", "RoostTransport", "RoostWire",
        ],
        path: "Simulator/RoostSimulator"),
]

let examples: [Target] = [
    .executableTarget(name: "FirstChat", dependencies: ["Roost"], path: "Examples/FirstChat"),
    .executableTarget(name: "Tour", dependencies: ["Roost"], path: "Examples/Tour"),
    .executableTarget(
        name: "TerminalChat", dependencies: ["Roost"], path: "Examples/TerminalChat",
        packageAccess: false),
    .executableTarget(name: "Bot", dependencies: ["Roost"], path: "Examples/Bot"),
    // As any app does, these see the public API only.
    .executableTarget(
        name: "ChatV4", dependencies: ["SendbirdChatSDK"], path: "Examples/ChatV4",
        packageAccess: false),
    .executableTarget(
        name: "ChatV3", dependencies: ["SendBirdSDK", "SendBirdSyncManager"],
        path: "Examples/ChatV3", packageAccess: false),
    .target(
        name: "TestedApp", dependencies: ["Roost"], path: "Examples/TestedApp/App",
        packageAccess: false),
    .testTarget(
        name: "TestedAppTests", dependencies: ["Roost", "RoostTestKit", "TestedApp"],
        path: "Examples/TestedApp/Tests", packageAccess: false),
    .target(
        name: "DatabaseGuide", dependencies: ["CRoostSQLite", "SendBirdSDK"],
        path: "Examples/DatabaseGuide"),
]

let tests: [Target] = [
    .target(name: "RoostTestSupport", path: "Tests/RoostTestSupport"),
    .target(name: "CRoostAllocations", path: "Tests/CRoostAllocations"),
    // In no product: it feeds the decoders with input of strangers, see `docs/fuzzing.md`.
    .executableTarget(
        name: "RoostFuzz",
        dependencies: [
            "RoostTestSupport", "Roost", "RoostCluster", "RoostCommandLine", "RoostCore",
            "RoostFileCache", "RoostHistory", "RoostHost", "RoostModel", "RoostNATS",
            "RoostRequests", "RoostSealing", "RoostServer", "RoostSockets", "RoostStore",
            "RoostWire",
        ],
        path: "Fuzz", exclude: ["Corpus", "Processes"]),
    .target(
        name: "StoreTestSupport", dependencies: ["RoostCore", "RoostModel", "RoostStore"],
        path: "Tests/StoreTestSupport"),
    .executableTarget(
        name: "StoreActor",
        dependencies: [
            "RoostTestSupport", "StoreTestSupport", "RoostCore", "RoostModel", "RoostSQLite",
            "RoostStore",
        ],
        path: "Tests/StoreActor"),
    .executableTarget(
        name: "EndActor",
        dependencies: ["Roost", "SendBirdSDK", "SendBirdSyncManager", "SendbirdChatSDK"],
        path: "Tests/EndActor", packageAccess: false),
    .testTarget(
        name: "RoostExecutorsTests", dependencies: ["RoostTestSupport", "RoostExecutors"]),
    .testTarget(
        name: "RoostSQLiteTests",
        dependencies: ["RoostTestSupport", "RoostDiskSimulation", "RoostExecutors", "RoostSQLite"]),
    .testTarget(
        name: "RoostSealingTests", dependencies: ["RoostTestSupport", "RoostSealing"]),
    .testTarget(
        name: "RoostSocketsTests", dependencies: ["CRoostTLS", "RoostTestSupport", "RoostSockets"]),
    .testTarget(
        name: "RoostPostgresTests",
        dependencies: [
            "RoostTestSupport", "RoostExecutors", "RoostPostgres", "RoostSockets",
        ]),
    .testTarget(
        name: "RoostConformanceTests",
        dependencies: [
            "RoostTestSupport", "RoostConformance", "RoostHost", "RoostServer", "RoostSockets",
        ]),
    .testTarget(
        name: "RoostWireTests",
        dependencies: ["CRoostAllocations", "RoostTestSupport", "RoostModel", "RoostWire"],
        exclude: ["Serialized"]),
    .testTarget(
        name: "RoostPagesTests", dependencies: ["RoostModel", "RoostPages", "RoostSockets"]),
    .testTarget(
        name: "RoostHistoryTests", dependencies: ["RoostTestSupport", "RoostHistory", "RoostWire"]),
    .testTarget(
        name: "RoostCoreTests",
        dependencies: ["RoostTestSupport", "RoostCore", "RoostModel", "RoostWire"]),
    .testTarget(
        name: "RoostStoreTests",
        dependencies: [
            "RoostTestSupport", "StoreTestSupport", "RoostDiskSimulation", "StoreActor",
            "RoostCore", "RoostExecutors", "RoostModel", "RoostSealing", "RoostSQLite",
            "RoostStore", "RoostTestKit", "RoostWire",
        ]),
    .testTarget(
        name: "RoostTransportTests",
        dependencies: [
            "RoostTestSupport", "RoostSockets", "RoostTransport", "RoostURLSession",
        ]),
    .testTarget(
        name: "RoostTests",
        dependencies: [
            "RoostTestSupport", "StoreTestSupport", "RoostDiskSimulation", "RoostExecutors",
            "Roost", "RoostCore", "RoostModel", "RoostSQLite", "RoostSealing", "RoostStore",
            "RoostTestKit", "RoostTransport",
        ]),
    .testTarget(
        name: "RoostFileCacheTests",
        dependencies: [
            "RoostTestSupport", "Roost", "RoostFileCache", "RoostModel", "RoostTestKit",
        ]),
    .target(
        name: "DoorTestSupport",
        dependencies: [
            "RoostTestSupport", "Roost", "RoostDoors", "RoostExecutors", "RoostModel",
            "RoostTestKit",
        ],
        path: "Tests/DoorTestSupport"),
    .target(
        name: "CallSiteSupport", dependencies: ["RoostExecutors"], path: "Tests/CallSiteSupport"),
    // As an app would, these see of the doors what is public, and nothing else.
    .target(
        name: "CallSitesV4", dependencies: ["CallSiteSupport", "SendbirdChatSDK"],
        path: "Tests/CallSitesV4", packageAccess: false),
    .target(
        name: "CallSitesV3",
        dependencies: ["CallSiteSupport", "SendBirdSDK", "SendBirdSyncManager"],
        path: "Tests/CallSitesV3", packageAccess: false),
    .testTarget(
        name: "SendbirdChatSDKTests",
        dependencies: [
            "CallSiteSupport", "CallSitesV4", "DoorTestSupport", "RoostTestSupport", "Roost",
            "RoostDoors", "RoostExecutors", "RoostModel", "RoostSealing", "RoostTestKit",
            "SendbirdChatSDK",
        ]),
    // As an app would, it sees of the doors what is public, and nothing else.
    .target(
        name: "GuideSamples", dependencies: ["SendBirdSDK", "SendBirdSyncManager"],
        path: "Tests/GuideSamples", packageAccess: false),
    .testTarget(
        name: "SendBirdSyncManagerTests",
        dependencies: [
            "CallSiteSupport", "CallSitesV3", "DoorTestSupport", "GuideSamples",
            "RoostTestSupport", "Roost", "RoostDoors", "RoostFileCache", "RoostModel",
            "RoostSQLite", "RoostSealing", "RoostTestKit", "DatabaseGuide", "SendBirdSDK",
            "SendBirdSyncManager",
        ]),
    .testTarget(
        name: "ExampleTests",
        dependencies: [
            "RoostTestSupport", "Bot", "ChatV3", "ChatV4", "EndActor", "FirstChat", "Roost",
            "RoostCommand", "RoostExecutors", "TerminalChat", "Tour",
        ]),
    .testTarget(
        name: "RoostChatTests",
        dependencies: ["RoostTestSupport", "Roost", "RoostChat", "RoostModel"]),
    .testTarget(
        name: "RoostServerTests",
        dependencies: [
            "RoostTestSupport", "RoostCluster", "RoostExecutors", "RoostModel", "RoostPostgres",
            "RoostSQLite", "RoostServer", "RoostSockets", "RoostWire",
        ]),
    .testTarget(
        name: "RoostClusterTests",
        dependencies: [
            "RoostTestSupport", "RoostCluster", "RoostExecutors", "RoostModel", "RoostNATS",
            "RoostPostgres", "RoostServer", "RoostSockets",
        ]),
    .testTarget(
        name: "RoostHostTests",
        dependencies: [
            "RoostTestSupport", "RoostCluster", "RoostDiskSimulation", "RoostExecutors",
            "RoostHost", "RoostModel", "RoostPages", "RoostPostgres", "RoostSQLite", "RoostServer",
            "RoostSockets", "RoostWire",
        ]),
    .testTarget(
        name: "RoostTestKitTests",
        dependencies: ["RoostTestSupport", "Roost", "RoostTestKit"]),
    .testTarget(
        name: "RoostSimulatorTests",
        dependencies: ["RoostTestSupport", "RoostDiskSimulation", "RoostSimulator"]),
    .testTarget(
        name: "RoostBenchTests",
        dependencies: ["RoostBench", "RoostCommandLine", "RoostModel", "RoostWire"]),
    .testTarget(
        name: "RoostCommandLineTests",
        dependencies: [
            "RoostTestSupport", "RoostBench", "RoostCommand", "RoostCommandLine", "RoostSimulator",
        ]),
    .testTarget(
        name: "RoostCommandTests",
        dependencies: [
            "Roost", "RoostTestSupport", "StoreTestSupport", "RoostCluster", "RoostCommand",
            "RoostCommandLine", "RoostCore", "RoostExecutors", "RoostHistory", "RoostHost",
            "RoostModel", "RoostPages", "RoostPostgres", "RoostRequests", "RoostServer",
            "RoostSockets", "RoostSQLite", "RoostStore", "RoostWire",
        ],
        exclude: ["Screens"]),
    .testTarget(
        name: "ProjectTests",
        dependencies: ["RoostBench", "RoostCommand", "RoostCommandLine", "RoostTestSupport"]),
]

let package = Package(
    name: "Roost",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Roost", targets: ["Roost"]),
        .library(name: "RoostFileCache", targets: ["RoostFileCache"]),
        .library(name: "SendbirdChatSDK", targets: ["SendbirdChatSDK"]),
        .library(name: "SendBirdSDK", targets: ["SendBirdSDK"]),
        .library(
            name: "SendBirdSyncManager", targets: ["SendBirdSDK", "SendBirdSyncManager"]),
        .library(name: "RoostTestKit", targets: ["RoostTestKit"]),
        .executable(name: "roost", targets: ["RoostCommand"]),
        .executable(name: "roost-bench", targets: ["RoostBench"]),
        .executable(name: "roost-simulate", targets: ["RoostSimulator"]),
    ],
    targets: systemLibraries + modules + workshop + examples + tests
)

/// `./test` names the tests that it runs under a sanitizer: a build for a sanitizer shares nothing
/// with others, so only what these tests need is built.
if let names = Context.environment["ROOST_TEST_TARGETS"] {
    var needed: Set<String> = []
    var open = names.split(whereSeparator: \.isWhitespace).map(String.init)
    while let name = open.popLast() {
        guard needed.insert(name).inserted else { continue }
        for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): open.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}

/// One dialect for every module: see `docs/ARCHITECTURE.md`, "How the code is written".
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]
/// The targets that are compiled as an app in Swift 5 mode compiles its code.
///
/// Calls of the old SDKs must compile without the settings above.
let appsInSwift5 = ["CallSitesV3", "CallSitesV4"]
for target in package.targets where target.type != .system && !target.name.hasPrefix("CRoost") {
    target.swiftSettings = appsInSwift5.contains(target.name) ? [.swiftLanguageMode(.v5)] : settings
    // Each function gets a section of its own, so that the linker leaves out those without a caller
    // and joins equal ones. Apple's linkers tell functions apart without it.
    target.swiftSettings?.append(
        .unsafeFlags(
            ["-Xfrontend", "-function-sections"],
            .when(platforms: [.linux], configuration: .release)))
    // These wait for people and servers, so their size counts and not their speed.
    let small = [
        "RoostChat", "RoostCluster", "RoostCommand", "RoostCommandLine", "RoostConformance",
        "RoostHost", "RoostNATS", "RoostPages", "RoostPostgres", "RoostRequests", "RoostTerminal",
    ]
    if small.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-Osize"], .when(configuration: .release)))
    }
}
