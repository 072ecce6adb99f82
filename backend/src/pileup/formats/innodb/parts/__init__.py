"""The sections of SHOW ENGINE INNODB STATUS."""
