<?php
// What of this site PHP may change.
namespace SvcConnector;
defined( 'ABSPATH' ) || exit;

/** Asked before anything is touched: what PHP may not change would else be met between the old files and the new ones. */
final class Writable {

	const TOLD = 5; // Paths in a refusal.
	const MOST = 50; // Files whose group is told.

	/** @var array<string,int> Folders that the plan opens before it works in them. */
	private $opened;

	/** @var array<string,array{path:string,may:bool,stat:array<string,int>}> By the folder that an operation names: the nearest one there is, and whether something in it may be changed. */
	private $folders = array();

	/** @var array<string,int|false> By the folder: the group that PHP gives to a file there. */
	private $own = array();

	/** @var array<string,int> Paths that may not be changed. */
	private $refused = array();

	/** @var array<int,string|array<string,string>> Live paths of files that could not be given their group. */
	private $ungrouped = array();

	/** @var array<string,string> Root id => absolute path, which may be a link. */
	private $roots;

	/**
	 * Works for one plan.
	 *
	 * @param string[]             $opened Absolute paths of folders.
	 * @param array<string,string> $roots  Root id => absolute path.
	 */
	public function __construct( array $opened, array $roots ) {
		$this->opened = array_flip( $opened );
		$this->roots  = $roots;
	}

	/** Looks at what an operation would change; answers the group that its file has to have, or null where that is the one PHP gives it. */
	public function look( string $kind, string $live ): ?int {
		$folder = $this->folder( dirname( $live ) );
		if ( ! $folder['may'] ) {
			$this->refused[ $folder['path'] ] = 1;
			return null;
		}
		$stat = dirname( $live ) === $folder['path'] ? @lstat( $live ) : false; // phpcs:ignore WordPress.PHP.NoSilencedErrors -- That nothing is there is an answer.
		$type = is_array( $stat ) ? $stat['mode'] & 0170000 : 0;
		if ( ! is_array( $stat ) || ( 'dir' === $kind && 0040000 === $type ) || ( 'rmdir' === $kind && ( 0040000 !== $type || Disk::begins( $live ) ) ) ) {
			return self::inherited( $folder['stat'] );
		}
		if ( ! $this->may_go( $live, $stat, $folder['stat'] ) ) {
			$this->refused[ $live ] = 1;
		}
		return 0100000 === $type ? $stat['gid'] : self::inherited( $folder['stat'] );
	}

	/** Gives a file that was laid ready the group that it has to have. */
	public function give( string $file, ?int $group, string $live ): void {
		$folder               = dirname( $file );
		$this->own[ $folder ] = $this->own[ $folder ] ?? filegroup( $file );
		if ( null !== $group && $this->own[ $folder ] !== $group && ( ! function_exists( 'chgrp' ) || ! @chgrp( $file, $group ) ) && count( $this->ungrouped ) < self::MOST ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors -- PHP may give only to groups that it is in.
			$this->ungrouped[] = Root::to_wire( $live );
		}
	}

	/** Live paths of files that have another group now than they had, or than their folder has. */
	public function ungrouped(): array {
		return $this->ungrouped;
	}

	/** Refuses what cannot be carried out. */
	public function settle(): void {
		if ( $this->refused ) {
			$paths = array_keys( $this->refused );
			$more  = count( $paths ) - self::TOLD;
			throw new Problem( 'failed', 'PHP may not change this, so nothing was touched: ' . implode( ', ', array_slice( $paths, 0, self::TOLD ) ) . ( $more > 0 ? " and $more more" : '' ) );
		}
	}

	/**
	 * Whether PHP may work in a folder, or will when that was opened, which only its owner can.
	 *
	 * @param array<string,int> $stat Of it.
	 */
	public static function may_work_in( string $folder, array $stat, bool $is_opened ): bool {
		return ( is_writable( $folder ) && ( 0111 === ( $stat['mode'] & 0111 ) || is_executable( $folder ) ) ) || ( $is_opened && self::is_ours( $stat ) && 0700 !== ( $stat['mode'] & 0700 ) ); // phpcs:ignore WordPress.WP.AlternativeFunctions -- Of PHP, not of a file system that somebody logs in to.
	}

	/** The nearest folder there is. What is behind a link is another place: a plan that names something below it makes a folder of it. */
	private function folder( string $path ): array {
		if ( ! isset( $this->folders[ $path ] ) ) {
			$there = $path;
			while ( dirname( $there ) !== $there && ( ! is_dir( $there ) || ( is_link( $there ) && ! in_array( $there, $this->roots, true ) ) ) ) {
				$there = dirname( $there );
			}
			$stat = (array) @stat( $there ) + array( 'mode' => 0, 'uid' => -1, 'gid' => 0 ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- open_basedir may hide it.

			$this->folders[ $path ] = array( 'path' => $there, 'may' => self::may_work_in( $there, $stat, isset( $this->opened[ $there ] ) ), 'stat' => $stat );
		}
		return $this->folders[ $path ];
	}

	/**
	 * Whether what stands there can be taken from its place.
	 *
	 * @param array<string,int> $stat   Of it.
	 * @param array<string,int> $folder Of the folder it is in.
	 */
	private function may_go( string $live, array $stat, array $folder ): bool {
		if ( ( $folder['mode'] & 01000 ) && ! self::is_ours( $stat ) && ! self::is_ours( $folder ) ) {
			return false;
		}
		if ( 0040000 === ( $stat['mode'] & 0170000 ) ) {
			return ! Disk::begins( $live ) && self::may_work_in( $live, $stat, isset( $this->opened[ $live ] ) );
		}
		// Its owner could write it, and nevertheless it is not to be written: nobody may change it.
		return 0100200 !== ( $stat['mode'] & 0170200 ) || ! self::is_ours( $stat ) || is_writable( $live ); // phpcs:ignore WordPress.WP.AlternativeFunctions -- As above.
	}

	/**
	 * What a folder hands on to what is made in it.
	 *
	 * @param array<string,int> $folder Of the folder.
	 */
	private static function inherited( array $folder ): ?int {
		return $folder['mode'] & 02000 ? $folder['gid'] : null;
	}

	/**
	 * Whether something belongs to PHP's user; where nobody can tell who that is, it may.
	 *
	 * @param array<string,int> $stat Of it.
	 */
	private static function is_ours( array $stat ): bool {
		$user = function_exists( 'posix_geteuid' ) ? posix_geteuid() : $stat['uid'];
		return 0 === $user || $user === $stat['uid'];
	}
}
