CREATE TABLE wp_woocommerce_sessions (session_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, session_key char(32) NOT NULL, session_value longtext NOT NULL, session_expiry BIGINT UNSIGNED NOT NULL, PRIMARY KEY (session_id), UNIQUE KEY session_key (session_key)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
CREATE TABLE wp_woocommerce_order_items (order_item_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, order_item_name TEXT NOT NULL, order_item_type varchar(200) NOT NULL DEFAULT '', order_id BIGINT UNSIGNED NOT NULL, PRIMARY KEY (order_item_id), KEY order_id (order_id)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
CREATE TABLE wp_woocommerce_order_itemmeta (meta_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, order_item_id BIGINT UNSIGNED NOT NULL, meta_key varchar(255) default NULL, meta_value longtext NULL, PRIMARY KEY (meta_id), KEY order_item_id (order_item_id), KEY meta_key (meta_key(32))) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
CREATE TABLE wp_woocommerce_downloadable_product_permissions (permission_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, download_id varchar(36) NOT NULL, product_id BIGINT UNSIGNED NOT NULL, order_id BIGINT UNSIGNED NOT NULL DEFAULT 0, order_key varchar(200) NOT NULL, user_email varchar(200) NOT NULL, user_id BIGINT UNSIGNED NULL, downloads_remaining varchar(9) NULL, access_granted datetime NOT NULL default '0000-00-00 00:00:00', access_expires datetime NULL default null, download_count BIGINT UNSIGNED NOT NULL DEFAULT 0, PRIMARY KEY (permission_id), KEY download_order_key_product (product_id,order_id,order_key(16),download_id), KEY download_order_product (download_id,order_id,product_id), KEY order_id (order_id), KEY user_order_remaining_expires (user_id,order_id,downloads_remaining,access_expires)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
CREATE TABLE wp_wc_download_log (download_log_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, timestamp datetime NOT NULL, permission_id BIGINT UNSIGNED NOT NULL, user_id BIGINT UNSIGNED NULL, user_ip_address VARCHAR(100) NULL DEFAULT '', PRIMARY KEY (download_log_id), KEY permission_id (permission_id), KEY timestamp (timestamp)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
ALTER TABLE wp_wc_download_log ADD CONSTRAINT fk_wp_wc_download_log_permission_id FOREIGN KEY (permission_id) REFERENCES wp_woocommerce_downloadable_product_permissions (permission_id) ON DELETE CASCADE;
CREATE TABLE wp_wc_product_meta_lookup (product_id bigint(20) NOT NULL, sku varchar(100) NULL default '', min_price decimal(19,4) NULL default NULL, max_price decimal(19,4) NULL default NULL, stock_quantity double NULL default NULL, stock_status varchar(100) NULL default 'instock', total_sales bigint(20) NULL default 0, PRIMARY KEY (product_id), KEY stock_status (stock_status)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
CREATE TABLE wp_wc_orders (id bigint(20) unsigned NOT NULL, status varchar(20) NULL, currency varchar(10) NULL, type varchar(20) NULL, total_amount decimal(26,8) NULL, customer_id bigint(20) unsigned NULL, billing_email varchar(320) NULL, date_created_gmt datetime NULL, PRIMARY KEY (id), KEY status (status), KEY billing_email (billing_email(191))) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
INSERT INTO wp_woocommerce_order_items VALUES (1, 'Poster', 'line_item', 41), (2, 'Map; with "quotes"', 'line_item', 41);
INSERT INTO wp_woocommerce_order_itemmeta VALUES (1, 1, '_qty', '2'), (2, 2, '_qty', '1');
INSERT INTO wp_woocommerce_downloadable_product_permissions (permission_id, download_id, product_id, order_id, order_key, user_email, user_id) VALUES (1, 'a1', 7, 41, 'wc_order_x', 'a@example.invalid', 1), (2, 'b2', 8, 42, 'wc_order_y', 'b@example.invalid', NULL);
INSERT INTO wp_wc_download_log VALUES (1, '2026-01-02 03:04:05', 1, 1, '192.0.2.1'), (2, '2026-01-02 03:04:06', 2, NULL, '192.0.2.2');
INSERT INTO wp_wc_product_meta_lookup VALUES (7, 'P-7', 9.9, 9.9, 3, 'instock', 1);
INSERT INTO wp_wc_orders VALUES (41, 'wc-completed', 'EUR', 'shop_order', 29.7, 1, 'a@example.invalid', '2026-01-02 03:00:00');
CREATE TABLE wp_shop_log (id int NOT NULL AUTO_INCREMENT, said varchar(200) NOT NULL, PRIMARY KEY (id));
CREATE DEFINER=`wp_1`@`localhost` TRIGGER wp_order_seen AFTER INSERT ON wp_wc_orders FOR EACH ROW INSERT INTO wp_shop_log (said) VALUES (CONCAT('order; ', NEW.id));
DELIMITER $$
CREATE DEFINER=`wp_1`@`localhost` TRIGGER wp_order_status BEFORE UPDATE ON wp_wc_orders FOR EACH ROW
BEGIN
  IF NEW.status = 'wc-lost' THEN
    SET NEW.status = 'wc-cancelled';
  END IF;
  INSERT INTO wp_shop_log (said) VALUES ('changed');
END$$
DELIMITER ;
CREATE DEFINER=`wp_1`@`localhost` SQL SECURITY INVOKER VIEW wp_open_orders AS SELECT id, total_amount FROM wp_wc_orders WHERE status <> 'wc-completed';
CREATE DEFINER=`wp_1`@`localhost` VIEW wp_a_view AS SELECT COUNT(*) AS many FROM wp_open_orders;
CREATE TABLE wp_b_ledger (id int NOT NULL AUTO_INCREMENT, permission BIGINT UNSIGNED NOT NULL, note varchar(50), PRIMARY KEY (id), KEY note (note), FOREIGN KEY (permission) REFERENCES wp_woocommerce_downloadable_product_permissions (permission_id)) DEFAULT CHARSET=utf8mb4;
INSERT INTO wp_b_ledger VALUES (1, 1, 'first'), (2, 2, 'second');
CREATE DEFINER=`wp_1`@`localhost` TRIGGER wp_b_ledger_note BEFORE INSERT ON wp_b_ledger FOR EACH ROW SET NEW.note = UPPER(NEW.note);
CREATE TABLE other_app (id int NOT NULL, post bigint unsigned NOT NULL, PRIMARY KEY (id), CONSTRAINT other_app_post FOREIGN KEY (post) REFERENCES wp_posts (ID) ON DELETE RESTRICT);
INSERT INTO other_app VALUES (1, 1);
CREATE DEFINER=`wp_1`@`localhost` EVENT wp_tidy ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01 00:00:00' ON COMPLETION PRESERVE DO DELETE FROM wp_shop_log WHERE id < 100;
CREATE EVENT other_tidy ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01 00:00:00' DO DELETE FROM other_app WHERE id > 100;
