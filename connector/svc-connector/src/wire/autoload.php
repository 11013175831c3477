<?php
// Where the plugin's classes are.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

spl_autoload_register(
	static function ( string $name ): void {
		if ( ! preg_match( '/^SvcConnector\\\\([A-Za-z]+)$/D', $name, $found ) ) {
			return;
		}
		// By name: to look for a file in one folder after another is slow where open_basedir has PHP ask for every folder above it.
		$classes = array(
			'wire'     => ' Answer Budget Enrolment Facts Gate Identity Incoming Install Problem Session Site Verbs Wire ',
			'errors'   => ' Capture Component ErrorLog Errors Kept Met MustUse Scrub Told ',
			'tweaks'   => ' Attempts Blocks DeadMansSwitch Effects Hardening Privacy Replace Salts Tweaks ',
			'admin'    => ' Cli Login Plugin Rights Settings ',
			'read'     => ' Bonds Choices Database Digest Digests Docroot Elsewhere Inventory Layout Links Listing Neighbours Prefixes Reading Remembered Root Roots Snapshot Table Tables Weight ',
			'restore'  => ' Activation Aside BareDatabase Catalog Configuration Connection Disk Door Dump FileSwap Journal KeyRehearsal Leftovers Loading Plan Rehearsal Restore SqliteSwap Staging StandingDoor Standing Survey TableSwap Tied Ties Writable ',
			'update'   => ' Around Careful CodeLock Copier Fatals Gates Guard Hanging Health Inspection Item Offers Others Package PageCaches Staged Statement Transaction Trial Unshared Updates Upgrade Vital Watch ',
			'security' => ' Integrity Probe Security ',
		);
		$file    = strtolower( (string) preg_replace( '/\B[A-Z]/', '-$0', $found[1] ) );
		foreach ( $classes as $folder => $names ) {
			if ( false !== strpos( $names, " $found[1] " ) ) {
				if ( is_file( dirname( __DIR__ ) . "/$folder/class-$file.php" ) ) { // An update of this plugin may be taking it away.
					require dirname( __DIR__ ) . "/$folder/class-$file.php";
				}
				return;
			}
		}
	}
);
